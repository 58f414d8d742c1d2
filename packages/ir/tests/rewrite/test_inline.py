from treadle_ir.rewrite import inline


def test_inline(check, title):
    check("inline", title, inline)
