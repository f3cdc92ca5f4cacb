/** Levels of metadata that are opened. */
export const METADATA_DEPTH = 16

/**
 * SQL that lists every scalar of a JSON text as `(key, value)`, keys of nested objects joined by dots, arrays transparent
 * (their elements share the key). A string value is a `"` followed by its decoded text; every other value is its JSON
 * text, `{}` and `[]` included. An absent text has no entries.
 *
 * The engine's parser takes no integer beyond 64 bits and no lone surrogate; such a text is read once more with those
 * mended, so that one odd value hides none of its neighbours.
 *
 * @param json   SQL expression of the text
 * @param depth  levels of nesting that are opened; what lies deeper stays one value
 */
export function flattened(json: string, depth: number): string {
  return `arrayFilter(e -> e.2 != '', arrayMap(e -> (e.1, if(startsWith(e.2, '"'), concat('"', JSONExtractString(e.2)), e.2)),
    arrayFold((entries, level) -> arrayFlatten(arrayMap(e -> multiIf(
        startsWith(e.2, '{') and (e.2 != '{}' or e.1 = ''),
        arrayMap(m -> (if(e.1 = '', m.1, concat(e.1, '.', m.1)), m.2), JSONExtractKeysAndValuesRaw(e.2)),
        startsWith(e.2, '[') and e.2 != '[]',
        arrayMap(v -> (e.1, v), JSONExtractArrayRaw(e.2)),
        [e]), entries)),
      range(${countLevels(json, depth)}), [('', ${readable(json)})])))`
}

/** A text has no more levels than it opens brackets; every level that is tried costs a block of rows 0.3 ms. */
function countLevels(json: string, depth: number): string {
  return `least(${depth}, countSubstrings(${json}, '{') + countSubstrings(${json}, '['))`
}

const PAIR_OF_SURROGATES = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`
const SURROGATE = String.raw`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`
const LONG_INTEGER = String.raw`([:,\[]\s*-?\d{19,})([,}\]\s])`

function readable(json: string): string {
  const whole = replaceAll(json, `(${PAIR_OF_SURROGATES})|${SURROGATE}`, String.raw`\1`)
  return `if(isValidJSON(${json}), ${json}, ${replaceAll(whole, LONG_INTEGER, String.raw`\1e0\2`)})`
}

/** @param pattern  regular expression of the engine, as it is written outside of quotes */
export function replaceAll(text: string, pattern: string, by: string): string {
  return `replaceRegexpAll(${text}, ${quoted(pattern)}, ${quoted(by)})`
}

/** A text as SQL writes it. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

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
