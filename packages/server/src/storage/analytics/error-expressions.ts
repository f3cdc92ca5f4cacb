import { ERROR_LINE_LENGTH } from '@touchstone/contract'
import { quoted, replaceAll } from './index-expressions.ts'

/** White space is that of ASCII, as in `toErrorLine`. */
const WHITE_SPACE = String.raw`[ \t\n\v\f]+`
const WORD = String.raw`[^ \t\n\v\f]`
const TEXT = "replaceAll(error, '\\r', '')"
const GROUP_LINES = replaceAll(replaceAll(TEXT, String.raw`\n *\+-[-+ .0-9]*`, ''), String.raw`\n *[|+] `, '\n')
const UNGROUPED = `if(position(${TEXT}, '\\n  | ') > 0, ${GROUP_LINES}, ${TEXT})`
const PYTHON_FRAME = quoted('\n  File "')
const AFTER_LAST_FRAME = `arrayElement(splitByString(${PYTHON_FRAME}, ${UNGROUPED}), -1)`
const PYTHON = `if(position(${UNGROUPED}, ${PYTHON_FRAME}) > 0, ${extract(AFTER_LAST_FRAME, String.raw`\n(${WORD}[\s\S]*)`)}, '')`
const HEADER = extract(TEXT, String.raw`^([\s\S]*?)\n[ \t]+at `)
const NAMED = extract(HEADER, String.raw`(?:^|\n)([\w$.]*(?:Error|Exception)\b[\s\S]*)`)
const MESSAGE = `coalesce(nullIf(${PYTHON}, ''), nullIf(${NAMED}, ''), if(match(${HEADER}, ${quoted(WORD)}), ${HEADER}, ${TEXT}))`
const WITHOUT_NOTE = `arrayElement(splitByString(${quoted('\nDuring task with name ')}, ${MESSAGE}), 1)`
const WITHOUT_START = `replaceOne(${WITHOUT_NOTE}, 'Traceback (most recent call last):', ' ')`

/**
 * SQL of `toErrorLine` of the contract over the column `error`, for runs that were stored before the column `error_line`.
 * The writer supplies it for new runs: the engine would prepare this expression for every block.
 */
export const ERROR_LINE = `if(error = '', '', leftUTF8(trimBoth(${replaceAll(WITHOUT_START, WHITE_SPACE, ' ')}), ${ERROR_LINE_LENGTH}))`

function extract(text: string, pattern: string): string {
  return `extract(${text}, ${quoted(pattern)})`
}

/** Ids and numbers of a message. A standing number from 400 to 599 stays: HTTP statuses tell errors apart. */
const VARIABLE_PARTS = [
  // ids and hashes
  '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}',
  '0x[0-9a-fA-F]+',
  String.raw`\b[0-9a-fA-F]{12,}\b`,
  // times
  String.raw`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`,
  // numbers with decimals, separators or a unit
  String.raw`\b\d+(?:[.,]\d+)+(?:ns|us|µs|ms|s|m|h|[kKMG]i?B)?\b`,
  String.raw`\b\d+(?:ns|us|µs|ms|s|m|h|[kKMG]i?B)\b`,
  // words that contain a long number
  String.raw`\b[A-Za-z]*\d{4,}[0-9A-Za-z]*\b`,
  // other numbers than HTTP statuses
  String.raw`\b(?:\d{1,2}|[0-36-9]\d{2})\b`,
]

const WITHOUT_VARIABLE_PARTS = replaceAll('error_line', VARIABLE_PARTS.join('|'), '#')

/**
 * SQL of the name of the group of an error: its line with `#` for each id and number, so that errors about different
 * orders are one group. The end of an id with a prefix, such as `call_8xKj2`, is replaced too.
 */
export const ERROR_GROUP = `if(error_line = '', '', ${replaceAll(WITHOUT_VARIABLE_PARTS, String.raw`_[A-Za-z]*\d[0-9A-Za-z]*\b`, '_#')})`
