from treadle_ir.rewrite import cse


def test_cse(check, title):
    check("cse", title, cse)
