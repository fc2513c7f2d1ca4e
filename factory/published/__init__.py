"""The published SocietyBench: its project page, its dataset layout and its leaderboard, read as they are."""
