"""Handles a seed in a worker process."""

from assembler_levels import judge_levels
from features import find_features
from generate import generate
from judge import judge
from script import format_script
from shrink import shrink


def make_judge(devices, options, seconds_to_shrink):
    """Makes the function from a seed to an answer: kind, text, a correct kernel's features, a failing one's program."""

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
            answer["features"] = find_features(case)
        if verdict.kind in ("ok", "unusable"):
            return answer
        if verdict.device and not verdict.fatal:
            case = shrink(case, devices, verdict, seconds_to_shrink, judge_case)
            again = judge_case(case, devices)
            answer["text"] = again.text or verdict.text
        answer["script"] = format_script(case, answer["text"].splitlines()[0], up=2)
        return answer

    return judge_seed
