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
const VALUES = `if(position(${WITHOUT_ESCAPES}, '\\\\u') > 0, ${replaceAll(WITHOUT_ESCAPES, ESCAPED_PUNCTUATION, ' ')}, ${WITHOUT_ESCAPES})`
const TEXTS = `concat(${VALUES}, ' ', name, ' ', error, ' ', arrayStringConcat(tags, ' '), ' ', arrayStringConcat(metadata.value, ' '))`
/**
 * SQL for all words of a run as one lower-case text, what its text index is made of: a query must say the same
 * expression to use the index, and another one is a migration that builds the index anew. It is no column of the table,
 * because the engine resolves the aliases of a table in every query: 1.9 ms of each. Each step runs at every merge:
 * regular expressions only where nothing simpler does, and with no group to capture. A lambda would name what is written
 * three times here, but the engine cannot read one back where a part has no index yet.
 */
export const WORDS = `lowerUTF8(if(isValidASCII(${TEXTS}), ${TEXTS}, ${replaceAll(TEXTS, PUNCTUATION, ' ')}))`
