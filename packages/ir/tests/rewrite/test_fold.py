from treadle_ir.rewrite import fold


def test_fold(check, title):
    check("fold", title, fold)
