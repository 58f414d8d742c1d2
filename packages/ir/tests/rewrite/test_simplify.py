from treadle_ir.rewrite import simplify


def test_simplify(check, title):
    check("simplify", title, simplify)
