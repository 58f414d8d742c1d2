from treadle_ir.rewrite import optimise


def test_optimise(check, title):
    check("optimise", title, optimise)
