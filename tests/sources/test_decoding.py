"""Bytes become the text that was written, or an outcome that names the damage."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.text import decode, looks_mojibake

ZH = "某市政府发言人周四表示，将继续就相关议题与各方保持沟通，并会在适当时候公布进一步安排。"
TW = "香港特別行政區政府發言人表示，市民的意見已經收到，將會在適當時候公布安排。"
EN = "The ferry of Arvenholm stops on Monday – “for good”, the naïve café owner said: 20 €. "


def page(words: str, charset: str = "") -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}<title>停航</title></head><body>" + f"<p>{words}</p>" * 6


@pytest.mark.parametrize(
    "header", ["", "text/html", "text/html; charset=gbk", "text/html; charset=utf-8"]
)
@pytest.mark.parametrize("meta", ["", "gbk"])
@pytest.mark.parametrize("codec", ["gbk", "utf-8"])
def test_one_broken_byte_costs_one_character(codec: str, meta: str, header: str) -> None:
    data = page(ZH, meta).encode(codec)
    for seed in range(40):
        rng = random.Random(seed)
        broken = bytearray(data)
        broken[rng.randrange(len(data))] = 0xFF
        found = decode(bytes(broken), header)
        assert found.ok, (seed, found.note)
        assert found.text.count(ZH) >= 5, seed


@given(st.integers(0, 10**6), st.sampled_from(["gb18030", "big5hkscs"]))
def test_a_broken_byte_never_shifts_the_characters_behind_it(seed: int, codec: str) -> None:
    words = TW if codec == "big5hkscs" else ZH
    data = bytearray((words * 12).encode(codec))
    at = random.Random(seed).randrange(len(data) // 2)
    data[at] = 0xFF
    found = decode(bytes(data), f"text/html; charset={codec}")
    assert found.ok
    assert found.note == "damaged bytes were replaced"
    assert found.text.count(words) >= 5
    assert 1 <= found.text.count("\ufffd") <= 3


def test_a_byte_order_mark_beats_header_and_meta() -> None:
    for codec in ("utf-8-sig", "utf-16", "utf-32"):
        found = decode(page(ZH, "gbk").encode(codec), "text/html; charset=big5")
        assert found.ok
        assert ZH in found.text


def test_valid_utf8_beats_header_and_meta() -> None:
    found = decode(page(ZH, "gb2312").encode(), "text/html; charset=iso-8859-1")
    assert (found.encoding, found.ok) == ("utf-8", True)


def test_the_header_beats_the_meta_tag() -> None:
    words = "Паром остановлен в понедельник, сообщила администрация города."
    assert (
        words
        in decode(
            page(words, "windows-1251").replace("停航", "").encode("koi8-r"),
            "text/html; charset=koi8-r",
        ).text
    )


def test_the_meta_tag_is_read_as_browsers_read_it() -> None:
    assert "镕堃喆" in decode(page("镕堃喆" + ZH, "gb2312").encode("gb18030")).text
    assert "嘅咗喺" in decode(page("嘅咗喺" + TW, "big5").encode("big5hkscs")).text
    assert EN in decode(page(EN, "iso-8859-1").replace("停航", "").encode("cp1252")).text


@pytest.mark.parametrize("declared", ["gb2312", "gbk", "gb18030"])
def test_traditional_pages_with_a_simplified_declaration_are_read(declared: str) -> None:
    found = decode(page(TW, declared).encode("big5hkscs"))
    assert (found.ok, found.encoding) == (True, "big5hkscs")
    assert TW in found.text


@pytest.mark.parametrize("wrong", ["cp1252", "latin-1", "gb18030"])
def test_text_that_was_saved_garbled_is_not_passed_on(wrong: str) -> None:
    saved = (ZH * 3).encode().decode(wrong, "ignore").encode()
    found = decode(saved)
    assert not found.ok
    assert "garbled" in found.note


def test_half_lost_text_is_not_passed_on() -> None:
    found = decode((ZH + "\ufffd" * 6).encode() * 3)
    assert not found.ok
    assert "lost" in found.note


@given(
    st.text(
        alphabet="的一是在不了有和人这中大为上个国我以要他渡轮停航市民。，",
        min_size=12,
        max_size=80,
    )
)
def test_chinese_prose_is_never_taken_for_mojibake(text: str) -> None:
    assert not looks_mojibake(text)
    assert decode(text.encode()).text == text


@given(
    st.binary(max_size=200),
    st.sampled_from(["gbk", "big5", "utf-8", "utf-16", "iso-2022-cn", "x", ""]),
)
def test_no_bytes_and_no_declaration_raise(data: bytes, charset: str) -> None:
    found = decode(data, f"text/html; charset={charset}")
    assert found.ok or found.note


PL = (
    "Głosowanie w Sejmie odbędzie się w środę. Rząd twierdzi, że łódź zostanie sprzedana, a załoga otrzyma zaległe "
    "pensje jeszcze w tym miesiącu. Później ścieżka będzie zamknięta."
)
RU = "Паромное сообщение прекращено, сообщает администрация порта. Пассажиров перевезут автобусами."


@pytest.mark.parametrize("codec", ["iso8859-2", "cp1250"])
@pytest.mark.parametrize("header", ["", "text/html; charset=iso-8859-1", "text/html; charset=big5"])
def test_polish_that_is_not_declared_is_refused_not_read_as_chinese(
    codec: str, header: str
) -> None:
    found = decode(PL.encode(codec), header)
    assert not found.ok
    assert found.note
    right = decode(PL.encode(codec), f"text/html; charset={codec}")
    assert (right.ok, right.text) == (True, PL)


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r", "iso8859-5"])
def test_cyrillic_declared_as_western_is_refused(codec: str) -> None:
    assert not decode(RU.encode(codec), "text/html; charset=iso-8859-1").ok
    right = decode(RU.encode(codec), f"text/html; charset={codec}")
    assert (right.ok, right.text) == (True, RU)


@pytest.mark.parametrize(
    "text",
    [
        "L’été dernier, le café naïve où l’élève préféra s’asseoir coûtait 20 € — n°2, col·legi, 5 m³/h",
        "Größe und Äußerung: für Übermut gäbe es Fähren über den Öresund, so die Behörde.",
        "¡Hola! ¿Qué tal está el señor Muñoz? El año pasado, 1ª clase.",
    ],
)
def test_western_texts_keep_their_accents(text: str) -> None:
    found = decode(text.encode("cp1252"), "text/html; charset=iso-8859-1")
    assert (found.ok, found.text) == (True, text)


@pytest.mark.parametrize("codec", ["gb18030", "big5hkscs"])
@pytest.mark.parametrize("header", ["", "declared"])
def test_chinese_with_western_words_in_it_is_still_chinese(codec: str, header: str) -> None:
    words = "A和B的區別" if codec == "big5hkscs" else "A和B的区别"
    text = (TW if codec == "big5hkscs" else ZH) + f"{words}，他用iPhone拍了K線圖" * (
        codec == "big5hkscs"
    )
    text += f"{words}，我买了T恤，卡拉OK也去了" * (codec == "gb18030")
    found = decode(text.encode(codec), f"text/html; charset={codec}" if header else "")
    assert (found.ok, found.text) == (True, text)
