"""How a worker process handles a seed."""

from assembler_levels import judge_levels
from features import features
from generate import generate
from judge import judge
from script import script_of
from shrink import shrink


def make_judge(devices, options, seconds_to_shrink):
    """A function from a seed to its answer: kind, text, a correct kernel's features, and a failing kernel's program."""

    judge_case = judge_levels if options.assembler_levels else judge

    def judge_seed(seed):
        case = generate(seed)
        # Watching for races doubles the time, so only some of the kernels are watched.
        watched = options.watch_races or seed % 32 == 0
        verdict = judge_case(case, devices, watched)
        if verdict.kind == "unusable" and verdict.text.startswith("Race"):
            verdict.kind = "error"
            verdict.text = f"the generator made a race: {verdict.text}"
        answer = {"kind": verdict.kind, "text": verdict.text, "fatal": verdict.fatal}
        if verdict.kind == "ok":
            answer["features"] = features(case)
        if verdict.kind in ("ok", "unusable"):
            return answer
        if verdict.device and not verdict.fatal:
            case = shrink(case, devices, verdict, seconds_to_shrink, judge_case)
            again = judge_case(case, devices)
            answer["text"] = again.text or verdict.text
        answer["script"] = script_of(case, answer["text"].splitlines()[0], up=2)
        return answer

    return judge_seed
