/** The text of an error, split into its message and the place where it happened. */
export interface SplitError {
  /** Type and message of the exception. May have several lines. */
  readonly message: string
  /** The stack trace without the message; empty when there is none. */
  readonly stack: string
}

const PYTHON_FRAME = '\n  File "'
const PYTHON_START = 'Traceback (most recent call last):'
/** White space is that of ASCII in all patterns, as in `error-expressions.ts` of the server, which must give the same line. */
const WORD = /[^ \t\n\v\f]+/

/**
 * Splits the text of an error. Python prints the exception after its frames; JavaScript and Java print it before them, and
 * LangChain repeats the message in front of both. An exception group is read as its last exception.
 */
export function splitError(error: string): SplitError {
  const { message, stack } = splitText(error)
  return { message: message.trimEnd(), stack: stack.trimEnd() }
}

function splitText(error: string): SplitError {
  const text = error.replaceAll('\r', '')
  return splitPython(text) ?? splitFramesAtEnd(text) ?? { message: text, stack: '' }
}

function splitPython(error: string): SplitError | undefined {
  const text = error.includes('\n  | ') ? withoutGroupLines(error) : error
  const lastFrame = text.lastIndexOf(PYTHON_FRAME)
  if (lastFrame === -1) return undefined
  // The lines of a frame are indented; the exception is the first line after them that is not.
  const found = /\n([^ \t\n\v\f][\s\S]*)/.exec(text.slice(lastFrame + 1))
  if (found === null) return undefined
  const start = lastFrame + 1 + found.index
  return { message: text.slice(start + 1), stack: text.slice(Math.max(text.indexOf(PYTHON_START), 0), start) }
}

/** An exception group draws lines in front of the tracebacks of its exceptions. */
function withoutGroupLines(error: string): string {
  return error.replace(/\n *\+-[-+ .0-9]*/g, '').replace(/\n *[|+] /g, '\n')
}

function splitFramesAtEnd(error: string): SplitError | undefined {
  const frames = error.search(/\n[ \t]+at /)
  if (frames === -1) return undefined
  const header = error.slice(0, frames)
  // An error that begins with its frames has no message apart from them.
  if (!WORD.test(header)) return undefined
  const named = /(?:^|\n)([\w$.]*(?:Error|Exception)\b[\s\S]*)/.exec(header)
  return { message: named?.[1] ?? header, stack: error.slice(frames + 1) }
}

/** Maximum length of an error line in characters. */
export const ERROR_LINE_LENGTH = 300

/** LangGraph adds the id of the task to each exception, which is different in every run. */
const TASK_NOTE = '\nDuring task with name '

/**
 * The message of an error as one line of at most 300 characters: for a stack trace the exception with its message, for any
 * other text the text itself. It names the error in lists, in run trees and in groups of errors.
 */
export function toErrorLine(error: string): string {
  const [message = ''] = splitText(error).message.split(TASK_NOTE)
  const line = collapseWhiteSpace(message.replace(PYTHON_START, ' '), ERROR_LINE_LENGTH * 2)
  return [...line].slice(0, ERROR_LINE_LENGTH).join('').replace(LONE_SURROGATE, '\uFFFD')
}

const LONE_SURROGATE = /\p{Surrogate}/gu

/** The beginning of a text as one line of at most `maxLength` UTF-16 code units, two of which may be one character. */
function collapseWhiteSpace(text: string, maxLength: number): string {
  let line = ''
  for (const [word] of text.matchAll(new RegExp(WORD, 'g'))) {
    line += line === '' ? word.slice(0, maxLength) : ` ${word.slice(0, maxLength)}`
    if (line.length >= maxLength) break
  }
  return line.slice(0, maxLength)
}
