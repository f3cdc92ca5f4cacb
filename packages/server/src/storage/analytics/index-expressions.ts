/** Levels of nesting that are expanded in metadata. */
export const METADATA_DEPTH = 16

/**
 * Returns SQL that lists every scalar of a JSON text as `(key, value)`. Keys of nested objects are joined by dots;
 * elements of arrays have the key of the array. A string value is a `"` followed by its decoded text; every other value
 * is its JSON text, `{}` and `[]` included. An absent text has no entries.
 *
 * The engine's parser rejects integers beyond 64 bits and lone surrogates. Such a text is read again with these values
 * replaced, so that one odd value does not hide its neighbors.
 *
 * @param json   SQL expression of the text
 * @param depth  levels of nesting that are expanded; a deeper value stays one value
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

/** A text has at most as many levels as opening brackets; each level that is tried costs 0.3 ms per block of rows. */
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

/** @param pattern  regular expression of the engine, without quotes */
export function replaceAll(text: string, pattern: string, by: string): string {
  return `replaceRegexpAll(${text}, ${quoted(pattern)}, ${quoted(by)})`
}

/** Returns a text as a SQL literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** A key of an object with its colon; keys are not searched. */
const KEY = String.raw`"(?:[^"\\]|\\.)*"\s*:`
/** Escapes of JSON that do not represent letters. The escaped backslash is first: the text after it is no escape. */
const ESCAPES = ['\\\\', '\\"', '\\n', '\\r', '\\t', '\\/', '\\b', '\\f']
const ESCAPED_PUNCTUATION = String.raw`\\u(?:20[0-6]|00[0-9abAB]|300)[0-9a-fA-F]`
/** Punctuation beyond ASCII separates words too; the engine's tokenizer would treat it as letters. */
const PUNCTUATION = String.raw`[\x{A0}-\x{BF}\x{2000}-\x{206F}\x{3000}-\x{303F}\x{FF00}-\x{FF0F}]`

const WITHOUT_KEYS = replaceAll("concat(inputs, ' ', outputs)", KEY, ' ')
const WITHOUT_ESCAPES = ESCAPES.reduce((text, one) => `replaceAll(${text}, ${quoted(one)}, ' ')`, WITHOUT_KEYS)
const VALUES = `if(position(${WITHOUT_ESCAPES}, '\\\\u') > 0, ${replaceAll(WITHOUT_ESCAPES, ESCAPED_PUNCTUATION, ' ')}, ${WITHOUT_ESCAPES})`
const TEXTS = `concat(${VALUES}, ' ', name, ' ', error, ' ', arrayStringConcat(tags, ' '), ' ', arrayStringConcat(metadata.value, ' '))`
/**
 * SQL for all words of a run as one lower-case text, from which the text index is made. A query must contain the same
 * expression to use the index, and a change of it needs a migration that rebuilds the index. It is not a column of the
 * table, because the engine resolves the aliases of a table in every query: 1.9 ms each. Every step runs at every
 * merge, so regular expressions are used only where necessary, and without capture groups. A lambda would avoid the
 * repetition, but the engine cannot read one back where a part has no index yet.
 */
export const WORDS = `lowerUTF8(if(isValidASCII(${TEXTS}), ${TEXTS}, ${replaceAll(TEXTS, PUNCTUATION, ' ')}))`
