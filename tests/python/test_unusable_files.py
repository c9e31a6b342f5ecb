"""Files that a subcommand of ``heddle`` cannot use: one line that names the command, the file and what to do, and exit
code 2."""

import os

import pytest

BINARY = b"\x7fELF\x02\x00\x01"
LATIN = b"# a\n# \xe9t\xe9\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "binary.py").write_bytes(BINARY)
    (tmp_path / "binary.cu").write_bytes(BINARY)
    (tmp_path / "latin.py").write_bytes(LATIN)
    (tmp_path / "latin.cu").write_bytes(LATIN)
    (tmp_path / "latin.ipynb").write_bytes(LATIN)
    (tmp_path / "empty.cu").write_bytes(b"\n")
    (tmp_path / "empty.ipynb").write_bytes(b"")
    (tmp_path / "broken.zip").write_bytes(BINARY)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "message"),
    [
        *(
            (f"{command} {file}", message)
            for command in ("run", "inspect")
            for file, message in [
                ("none.py", "there is no file 'none.py' in "),
                ("binari.py", "there is no file 'binari.py': did you mean 'binary.py'?"),
                ("none/none.py", "there is no file 'none/none.py': there is no folder "),
                ("dangling.py", "there is no file 'dangling.py'"),
                ("binary.py", "'binary.py' is not text, it has null bytes: "),
                ("latin.py", "'latin.py' is not utf-8 text, see byte 0xe9 in line 2: save it"),
                ("folder.py", "'folder.py' is a folder without __main__.py: name a file in it"),
                (".", "'.' is a folder without __main__.py: name a file in it"),
                ("none.zip", "there is no file 'none.zip'"),
                ("broken.zip", "'broken.zip' is not a zip file"),
            ]
        ),
        ("run none.ipynb", "there is no file 'none.ipynb'"),
        ("run empty.ipynb", "'empty.ipynb' is empty"),
        ("run latin.ipynb", "'latin.ipynb' is not utf-8 text, see byte 0xe9 in line 2"),
        ("compile none.cu", "there is no file 'none.cu' in "),
        ("compile .", "'.' is a folder: name a file in it"),
        ("compile empty.cu", "'empty.cu' is empty"),
        ("compile latin.cu", "'latin.cu' is not utf-8 text, see byte 0xe9 in line 2"),
        ("compile binary.cu", "'binary.cu' is not text, it has null bytes"),
        ("compile none.py:k", "there is no file 'none.py'"),
        ("compile folder.py:k", "'folder.py' is a folder: name a file in it"),
        ("compile binary.py:k", "'binary.py' is not text, it has null bytes"),
        ("compile latin.py:k", "'latin.py' is not utf-8 text"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line(run_heddle, folder, command, message):
    result = run_heddle(*command.split())
    assert result.stderr.startswith(f"heddle {command.split()[0]}: {message}")
    assert (result.stdout, result.stderr.count("\n"), result.returncode) == ("", 1, 2)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_a_file_that_may_not_be_read_is_told(run_heddle, folder):
    (folder / "binary.py").chmod(0)
    result = run_heddle("run", "binary.py")
    assert result.stderr == "heddle run: cannot read 'binary.py': Permission denied\n"
    assert result.returncode == 2


def test_a_python_file_may_declare_its_encoding_or_be_empty(run_heddle, folder):
    (folder / "declared.py").write_bytes(b"# coding: latin-1\nprint('\xe9')\n")
    (folder / "empty.py").write_bytes(b"")
    assert run_heddle("run", "declared.py").stdout == "é\n"
    result = run_heddle("run", "empty.py")
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0)


def test_a_file_in_place_of_a_command_is_told(run_heddle):
    result = run_heddle("kernels.py")
    message = "heddle: there is no command 'kernels.py': heddle run kernels.py?\n"
    assert result.stderr.startswith(message) and result.returncode == 2
