from treadle_ir.rewrite import dce


def test_dce(check, title):
    check("dce", title, dce)
