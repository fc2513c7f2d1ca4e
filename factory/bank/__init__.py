"""What the stages from claims to compose share: wording rules, material, the mirror composer, phrasing."""
