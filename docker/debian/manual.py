#!/usr/bin/env python3
"""Makes the manual page liststate(1) of what the program says about itself: `liststate --experimental-dump-help`."""
import argparse
import datetime
import json
import os
import sys


def text(words):
    """A text as roff takes it: nothing in it is a command, and a hyphen is the one that is typed."""
    return " ".join(words.split()).replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def paragraph(words):
    """One line for each sentence, and none of them begins as a command does."""
    return "\n".join("\\&" + line if line[0] in ".'" else line
                     for line in text(words).replace(". ", ".\n").split("\n") if line)


def spelled(argument):
    """`-h, --help` or `--port <port>` or `<file>`."""
    value = "\\fI" + text(argument["valueName"]) + "\\fR"
    if argument["kind"] == "positional":
        return value
    names = ["-" + name["name"] if name["kind"] == "short" else "--" + name["name"] for name in argument["names"]]
    joined = ", ".join("\\fB" + text(name) + "\\fR" for name in names)
    return joined if argument["kind"] == "flag" else joined + " " + value


def shown(command):
    return [argument for argument in command.get("arguments", [])
            if argument["shouldDisplay"] and argument.get("valueName") not in ("help", "version")]


def told(argument):
    words = argument.get("abstract", "")
    standard = argument.get("defaultValue")
    if standard is not None and "(default:" not in words and argument["kind"] != "flag":
        words += f" (default: {standard})"
    return words


def usage(command):
    parts = ["\\fBliststate " + text(command["commandName"]) + "\\fR"]
    arguments = shown(command)
    if any(argument["kind"] != "positional" for argument in arguments):
        parts.append("[\\fIoptions\\fR]")
    for argument in arguments:
        if argument["kind"] == "positional":
            one = spelled(argument) + (" ..." if argument["isRepeating"] else "")
            parts.append(f"[{one}]" if argument["isOptional"] else one)
    return " ".join(parts)


def section(command):
    lines = [".SS \"" + text(command["commandName"]) + "\"", usage(command), ".PP", paragraph(command["abstract"])]
    if command.get("discussion"):
        lines += [".PP", paragraph(command["discussion"])]
    for argument in shown(command):
        lines += [".TP", spelled(argument), paragraph(told(argument) or argument["valueName"])]
    return lines


def parts(command):
    """The commands of a command, by their whole names; or itself, if it has none."""
    return [part | {"commandName": command["commandName"] + " " + part["commandName"]}
            for part in command.get("subcommands", [])] or [command]


def page(program, day):
    commands = [command for command in program["subcommands"]
                if command["shouldDisplay"] and command["commandName"] != "help"]
    commands = [part for command in commands for part in parts(command)]
    lines = [f'.TH LISTSTATE 1 "{day}"', ".SH NAME", "liststate \\- " + text(program["abstract"]).rstrip("."),
             ".SH SYNOPSIS", ".nf"]
    lines += [usage(command) for command in commands]
    lines += ["\\fBliststate \\-\\-version\\fR", ".fi", ".SH DESCRIPTION", paragraph(program["abstract"])]
    lines += [".SH COMMANDS"]
    for command in commands:
        lines += section(command)
    lines += [".SH ENVIRONMENT", paragraph(
        "Each option of serve is also a variable: --port is LISTSTATE_PORT. "
        "An option of the command line wins over its variable. A flag is set by 1. "
        "A repeated option has commas between its values.")]
    for name, words in [
            ("LISTSTATE_DATA", "The folder that keeps the lists, also for the other commands."),
            ("LISTSTATE_URL", "The server that lists, get, watch and the commands that change lists ask."),
            ("LISTSTATE_TOKEN", "The token with which commands ask a server."),
            ("SSL_CERT_FILE", "The certificates of the authorities that vouch for a server."),
            ("XDG_STATE_HOME", "The folder with the queue: liststate/queue.json in it, else in ~/.local/state."),
            ("CREDENTIALS_DIRECTORY", "A folder in which the file liststate.store may have the value of --store."),
            ("LISTEN_FDS, LISTEN_PID", "A listening socket of the service manager, in the place of --host and --port."),
            ("NOTIFY_SOCKET", "The socket on which the service manager hears when the server is ready, and stops.")]:
        lines += [".TP", "\\fB" + text(name) + "\\fR", paragraph(words)]
    lines += [".SH FILES"]
    for name, words in [
            ("/etc/liststate/liststate.env", "The settings of the service."),
            ("/etc/credstore/liststate.store", "The URL of a PostgreSQL database for the service."),
            ("/var/lib/liststate", "The lists of the service."),
            ("/var/backups/liststate", "A backup of each night."),
            ("/usr/share/doc/liststate/docs", "The documentation.")]:
        lines += [".TP", "\\fI" + text(name) + "\\fR", paragraph(words)]
    lines += [".SH EXIT STATUS", paragraph(
        "0 if all is done, and otherwise a code of sysexits.h where one fits. "
        "/usr/share/doc/liststate/docs/operations.md has all of them.")]
    return "\n".join(lines)


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    day = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date()
    print(page(json.load(sys.stdin)["command"], day))


main()
