"""A persistent program that does what an event tells it, also what it should not."""
import json
import os
import select
import subprocess
import sys
import time

kept = []
held = []


def say(answer):
    print(json.dumps(answer), flush=True)


for line in sys.stdin:
    question = json.loads(line)
    event = question["event"]
    me = {"id": question["id"], "pid": os.getpid()}
    do = event.get("do")
    if do == "crash":
        sys.stderr.write("out of luck\n")
        os._exit(3)
    elif do == "hang":
        time.sleep(60)
    elif do == "garbage":
        print("Traceback, or a debug line", flush=True)
    elif do == "grow":
        held.append(b"x" * (event["megabytes"] << 20))
        say(me)
    elif do == "complain":
        sys.stderr.write("line one\nline two\n" + "z" * 50 * event.get("times", 0))
        sys.stderr.flush()
        say(me)
    elif do == "more":
        say({**me, "more": bool(select.select([sys.stdin], [], [], 0.02)[0])})
    elif do == "slow":
        time.sleep(event["seconds"])
        say(me)
    elif do == "until":
        while not os.path.exists(event["file"]):
            time.sleep(0.01)
        say(me)
    elif do == "reverse":
        kept.append(me)
        if len(kept) == event["of"]:
            for one in reversed(kept):
                say({**one, "order": len(kept)})
    elif do == "child":
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        say({**me, "child": child.pid})
    elif do == "environment":
        say({**me, "said": question.get("environment"), "own": dict(os.environ)})
    else:
        say({**me, "said": event})
