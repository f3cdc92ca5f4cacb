import { quoted, replaceAll } from './flatten.ts'

/** A key of an object with its colon; keys are not searched. */
const KEY = String.raw`"(?:[^"\\]|\\.)*"\s*:`
/** Escapes of JSON that stand for no letter; the escaped backslash first, for what follows it is no escape. */
const ESCAPES = ['\\\\', '\\"', '\\n', '\\r', '\\t', '\\/', '\\b', '\\f']
const ESCAPED_PUNCTUATION = String.raw`\\u(?:20[0-6]|00[0-9abAB]|300)[0-9a-fA-F]`
/** Punctuation beyond ASCII separates words too; the engine's tokenizer would take it for letters. */
const PUNCTUATION = String.raw`[\x{A0}-\x{BF}\x{2000}-\x{206F}\x{3000}-\x{303F}\x{FF00}-\x{FF0F}]`

const WITHOUT_KEYS = replaceAll("concat(inputs, ' ', outputs)", KEY, ' ')
const WITHOUT_ESCAPES = ESCAPES.reduce((text, one) => `replaceAll(${text}, ${quoted(one)}, ' ')`, WITHOUT_KEYS)
const VALUES = once(
  'v',
  WITHOUT_ESCAPES,
  `if(position(v, '\\\\u') > 0, ${replaceAll('v', ESCAPED_PUNCTUATION, ' ')}, v)`,
)
const TEXTS = `concat(${VALUES}, ' ', name, ' ', error, ' ', arrayStringConcat(tags, ' '), ' ', arrayStringConcat(metadata.value, ' '))`

/**
 * SQL for all words of a run as one lower-case text, what its text index is made of: a query must say the same
 * expression to use the index, and another one is a migration that builds the index anew. It is no column of the table,
 * because the engine resolves the aliases of a table in every query: 1.9 ms of each. Each step runs at every merge:
 * regular expressions only where nothing simpler does, and with no group to capture.
 */
export const WORDS = `lowerUTF8(${once('t', TEXTS, `if(isValidASCII(t), t, ${replaceAll('t', PUNCTUATION, ' ')})`)})`

/**
 * A value that is used in several places but written once, for SQL has no name for it. Written out, the expression above
 * had 3,200 characters instead of 700, and the engine needed twice as long to plan a query of words.
 */
function once(name: string, value: string, use: string): string {
  return `arrayMap(${name} -> ${use}, [${value}])[1]`
}
