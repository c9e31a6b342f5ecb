# Heddle from its wheel, with the examples. Without arguments, it runs and times them on the CPU device:
#
#   make wheel
#   docker build --tag heddle .
#   docker run --rm heddle
#
# On a machine with an NVIDIA GPU, its driver and the NVIDIA Container Toolkit, this uses the first GPU. The image needs
# nothing else of CUDA: the toolkit mounts the driver's library.
#
#   docker run --rm --gpus all --env HEDDLE_DEVICE=cuda heddle
FROM python:3.12-slim-bookworm

# pip selects the wheel for this processor and this Python.
RUN --mount=type=bind,source=dist,target=/dist \
    pip install --no-cache-dir 'numpy>=1.26' && \
    pip install --no-cache-dir --no-index --find-links /dist heddle-jit

RUN useradd --create-home user
USER user
WORKDIR /home/user
COPY --chown=user examples examples

ENV HEDDLE_DEVICE=cpu NVIDIA_DRIVER_CAPABILITIES=compute,utility
CMD ["python", "examples/tour.py"]
