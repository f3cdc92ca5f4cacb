/** Progress goes to stderr, so that stdout stays the server's or the test runner's. */
export function say(line) {
  process.stderr.write(`\u001b[2m›\u001b[0m ${line}\n`)
}

/** Ends the process with one sentence and no stack: the reader is a person at a terminal. */
export function giveUp(sentence) {
  process.stderr.write(`\n${sentence}\n`)
  process.exit(1)
}
