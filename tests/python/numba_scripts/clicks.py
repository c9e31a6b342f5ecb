# Sessions of a web site: mark where a user's clicks begin a new session.
import numpy as np
from numba import cuda

session_timeout = np.int64(np.timedelta64(3600, "s").astype("int64"))


@cuda.jit
def sessionize(user_id, timestamp, results):
    gid = cuda.grid(1)
    size = len(user_id)

    if gid >= size:
        return

    # Determine session boundaries
    is_first_datapoint = gid == 0
    if not is_first_datapoint:
        new_user = user_id[gid] != user_id[gid - 1]
        timed_out = timestamp[gid] - timestamp[gid - 1] > session_timeout

        is_sess_boundary = new_user or timed_out
    else:
        is_sess_boundary = True

    # Determine session labels
    if is_sess_boundary:
        # This thread marks the start of a session
        results[gid] = gid

        # Make sure all session boundaries are written before populating the session id
        cuda.threadfence()

        look_ahead = 1
        # Check elements 'forward' of this one until a new session boundary is found
        while gid + look_ahead < size:
            first = gid + look_ahead
            same_user = user_id[first] == user_id[first - 1]
            in_time = timestamp[first] - timestamp[first - 1] <= session_timeout
            if not (same_user and in_time):
                break
            results[first] = gid
            look_ahead += 1
            # Avoid out-of-bounds accesses by the last thread
            if gid + look_ahead == size:
                break


ids = cuda.to_device(np.array([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5]))
sec = cuda.to_device(
    np.array([0, 60, 10_000, 5, 6, 7, 0, 3600, 7201, 8, 9, 10, 11], dtype=np.int64)
)
results = cuda.to_device(np.zeros(len(ids)))
sessionize.forall(len(ids))(ids, sec, results)
print(results.copy_to_host().astype(int).tolist())
