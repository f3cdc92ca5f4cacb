/** Prints progress to stderr; stdout belongs to the server or the test runner. */
export function printProgress(line) {
  process.stderr.write(`\u001b[2m›\u001b[0m ${line}\n`)
}

/** Ends the process with a message and without a stack. */
export function fail(sentence) {
  process.stderr.write(`\n${sentence}\n`)
  process.exit(1)
}
