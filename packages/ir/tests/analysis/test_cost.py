from treadle_ir.analysis import Cost, equation_costs, program_cost
from treadle_ir.text import parse_program


def cost(line: str, parameters: str = "%x: f32[3,4], %y: f32[4,5]", before: str = "") -> Cost:
    text = f"treadle 1\n{before}program @main({parameters}) {{\n  {line}\n  return\n}}\n"
    return program_cost(parse_program(text))


def test_elementwise_is_one_per_element() -> None:
    found = cost("%z: f32[3,4] = sine %x")
    assert (found.flops, found.bytes) == (12, 2 * 48)


def test_dot_general_is_two_per_contracted_index() -> None:
    assert (
        cost("%z: f32[3,5] = dot_general %x, %y {contracting=((1,), (0,))}").flops == 2 * 3 * 5 * 4
    )


def test_convolutions_do_not_count_the_padding() -> None:
    def flops(sizes: str, settings: str) -> int:
        shape, kernel, result = [f"f32[{each}]" for each in sizes.split()]
        specs = "lhs_spec=(0, 1, 2), rhs_spec=(0, 1, 2), out_spec=(0, 1, 2)"
        line = f"%z: {result} = convolution %x, %y {{{settings}, {specs}}}"
        return cost(line, f"%x: {shape}, %y: {kernel}").flops

    plain = "lhs_dilation=(1,), rhs_dilation=(1,)"
    assert (
        flops("2,3,10 4,3,3 2,4,8", f"strides=(1,), padding=((0, 0),), {plain}") == 2 * 8 * 3 * 24
    )
    assert (
        flops("2,3,10 4,3,3 2,4,10", f"strides=(1,), padding=((1, 1),), {plain}") == 2 * 8 * 3 * 28
    )
    assert (
        flops("2,3,10 4,3,3 2,4,5", f"strides=(2,), padding=((1, 0),), {plain}") == 2 * 8 * 3 * 14
    )
    apart = "strides=(1,), padding=((2, 2),), lhs_dilation=(2,), rhs_dilation=(1,)"
    assert (
        flops("2,3,10 4,3,3 2,4,21", apart) == 2 * 8 * 3 * 30
    )  # each element meets each of the kernel


def test_moving_is_no_operation() -> None:
    found = cost("%z: f32[4,3] = transpose %x {permutation=(1, 0)}")
    assert (found.flops, found.bytes) == (0, 96)
    assert cost("%z: f32[12] = reshape %x {shape=(12,)}").bytes == 0


def test_reductions_count_what_they_read() -> None:
    assert cost("%z: f32[4] = reduce_add %x {axes=(0,)}").flops == 12


def test_an_unknown_operation_counts_its_results() -> None:
    assert cost("%z: f32[3,4] = cumulative_add %x {axis=0}").flops == 12


def test_fourier_transforms_are_five_n_log_n_and_half_of_that_on_real_numbers() -> None:
    found = cost('%z: c64[3,8] = fft %x {kind="fft", lengths=(8,)}', "%x: c64[3,8]")
    assert found.flops == 5 * 24 * 3
    found = cost('%z: c64[3,5] = fft %x {kind="rfft", lengths=(8,)}', "%x: f32[3,8]")
    assert found.flops == 5 * 24 * 3 // 2


def test_calls_cost_what_they_call() -> None:
    body = "program @f(%a: f32[3,4]) {\n  %b: f32[3,4] = sine %a\n  return %b\n}\n"
    once = cost("%z: f32[3,4] = call %x {program=@f}", before=body)
    assert (once.flops, once.bytes, once.exact) == (12, 96, True)


def test_costs_come_by_equation() -> None:
    text = (
        "treadle 1\nprogram @main(%x: f32[3]) {\n  %y: f32[3] = sine %x\n"
        "  %z: f32[1] = slice %y {start=(0,), limit=(1,), strides=(1,)}\n  return %z\n}\n"
    )
    assert [each.flops for each in equation_costs(parse_program(text))] == [3, 0]


STEP = "program @step(%c: f32[3], %x: f32[3]) {\n  %d: f32[3] = add %c, %x\n  return %d, %d\n}\n"
UNTIL = 'program @until(%i: i32[]) {\n  %b: bool[] = compare %i, 9:i32 {direction="lt"}\n  return %b\n}\n'
NEXT = "program @next(%i: i32[]) {\n  %j: i32[] = add %i, 1:i32\n  return %j\n}\n"
FEW = "program @few(%a: f32[3]) {\n  %b: f32[3] = sine %a\n  return %b\n}\n"
MANY = (
    "program @many(%a: f32[3]) {\n  %b: f32[3] = sine %a\n  %c: f32[3] = sine %b\n  return %c\n}\n"
)


def test_a_scan_counts_once_for_each_iteration() -> None:
    line = "%d: f32[3], %ys: f32[5,3] = scan %c, %xs {body=@step, length=5, carries=1}"
    found = cost(line, "%c: f32[3], %xs: f32[5,3]", STEP)
    assert (found.flops, found.exact) == (15, True)


def test_a_loop_counts_its_bound_or_once() -> None:
    once = cost("%j: i32[] = while %i {cond=@until, body=@next}", "%i: i32[]", UNTIL + NEXT)
    assert (once.flops, once.exact) == (2, False)
    line = "%j: i32[] = while %i {cond=@until, body=@next, trip_bound=10}"
    bounded = cost(line, "%i: i32[]", UNTIL + NEXT)
    assert (bounded.flops, bounded.exact) == (20, False)


def test_a_choice_counts_its_most_expensive_branch() -> None:
    line = "%y: f32[3] = case %i, %x {branches=(@few, @many)}"
    assert cost(line, "%i: i32[], %x: f32[3]", FEW + MANY).flops == 6
