import type { Expression } from './expressions.ts'
import { refuse } from './reader.ts'
import { FIXED, multiplySize, type Size, sumSizes } from './sizes.ts'

/** Characters of a text that a function searches for, or puts in its place. */
export const MAX_LITERAL_LENGTH = 1_000
/** Elements of a list that another list is compared with. */
const MAX_LIST_LENGTH = 1_000

/** What an argument must be. */
type Rule = 'text' | 'texts' | 'list' | 'path'

/**
 * Arguments by position that must be literals. A search takes the length of the text times that of the needle at worst, a
 * regular expression likewise, and the engine does not stop inside of a call.
 */
const RULES = new Map<string, Readonly<Record<number, Rule>>>(
  Object.entries({
    position: { 1: 'text' },
    positionCaseInsensitive: { 1: 'text' },
    multiSearchAny: { 1: 'texts' },
    match: { 1: 'text' },
    extract: { 1: 'text' },
    extractAll: { 1: 'text' },
    replace: { 1: 'text', 2: 'text' },
    replaceAll: { 1: 'text', 2: 'text' },
    replaceOne: { 1: 'text', 2: 'text' },
    replaceRegexpAll: { 1: 'text', 2: 'text' },
    replaceRegexpOne: { 1: 'text', 2: 'text' },
    splitByChar: { 0: 'text' },
    splitByString: { 0: 'text' },
    trim: { 1: 'text' },
    trimBoth: { 1: 'text' },
    trimLeft: { 1: 'text' },
    trimRight: { 1: 'text' },
    ltrim: { 1: 'text' },
    rtrim: { 1: 'text' },
    arrayStringConcat: { 1: 'text' },
    formatDateTime: { 1: 'text' },
    JSON_VALUE: { 1: 'path' },
    hasAll: { 1: 'list' },
    hasAny: { 1: 'list' },
  }),
)

/** A range of a JSON path is walked number by number, also past the end of the list. */
const PATH_RANGE = /\d\s*to\s*\d/i

/** @throws ApiError INVALID_REQUEST when an argument must be a literal and is not, or is too long */
export function checkLiterals(name: string, args: readonly Expression[]): void {
  for (const [position, rule] of Object.entries(RULES.get(name) ?? {})) {
    const arg = args[Number(position)]
    if (arg !== undefined) CHECKS[rule](`argument ${Number(position) + 1} of ${name}`, arg)
  }
}

/** Likewise for the pattern of LIKE and ILIKE. */
export const checkPattern = (pattern: Expression): void => CHECKS.text('the pattern after LIKE', pattern)

const CHECKS: Readonly<Record<Rule, (what: string, arg: Expression) => void>> = {
  text: checkText,
  texts(what, { list }) {
    const texts = list?.map((item) => item.text ?? refuse(`${what} must be a list of text literals.`))
    if (texts === undefined) return refuse(`${what} must be a list of text literals, such as ['a', 'b'].`)
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    if (length > MAX_LITERAL_LENGTH) refuse(tooLong(what, length))
  },
  list(what, { list, isConstant }) {
    if (list === undefined || !isConstant) refuse(`${what} must be a list of constants, such as ['a', 'b'].`)
    if (list.length > MAX_LIST_LENGTH)
      refuse(`${what} has ${list.length} elements, at most ${MAX_LIST_LENGTH} are allowed.`)
  },
  path(what, arg) {
    checkText(what, arg)
    if (PATH_RANGE.test(arg.text ?? '')) refuse(`${what} must not have a range (TO); use JSONExtractArrayRaw.`)
  },
}

function checkText(what: string, { text }: Expression): void {
  if (text === undefined) refuse(`${what} must be a text literal, such as 'error', not a computed text or a column.`)
  if (text.length > MAX_LITERAL_LENGTH) refuse(tooLong(what, text.length))
}

const tooLong = (what: string, length: number) =>
  `${what} has ${length} characters, at most ${MAX_LITERAL_LENGTH} are allowed. Search for a shorter text.`

/**
 * Functions that look through their first argument. With a constant, which takes no memory for each row, they must not
 * run once for each element of a list.
 */
const LOOKUPS = new Set(
  `has indexOf hasAll hasAny mapContains arrayElement JSONExtractArrayRaw JSONExtractBool JSONExtractFloat JSONExtractInt
   JSONExtractKeys JSONExtractRaw JSONExtractString JSONHas JSONLength JSONType`.split(/\s+/),
)

export const isLookup = (name: string): boolean => LOOKUPS.has(name)

/** Functions whose lists have as many elements as there are rows or characters. */
const LONG_LISTS = new Set(
  `groupArray groupArrayIf groupUniqArray groupUniqArrayIf extractAll splitByChar splitByString JSONExtractArrayRaw
   JSONExtractKeys`.split(/\s+/),
)

export const makesLongList = (name: string): boolean => LONG_LISTS.has(name)

/** Functions whose value has a fixed size, whatever their arguments are. */
const FIXED_RESULTS = new Set(
  `abs ceil ceiling exp floor intDiv isFinite isInfinite isNaN isNotNull isNull ln log log10 log2 mod modulo pow power round
   sign sqrt trunc cityHash64 empty endsWith length lengthUTF8 char_length match multiSearchAny notEmpty position
   positionCaseInsensitive startsWith addDays addHours addMinutes addMonths addSeconds addWeeks addYears dateDiff dateTrunc
   date_diff date_trunc fromUnixTimestamp fromUnixTimestamp64Milli now parseDateTimeBestEffort parseDateTimeBestEffortOrNull
   parseDateTime64BestEffort parseDateTime64BestEffortOrNull subtractDays subtractHours subtractMinutes subtractMonths
   subtractSeconds subtractWeeks subtractYears toDate toDateTime toDateTime64 toDayOfMonth toDayOfWeek toDayOfYear toHour
   toISOWeek toIntervalDay toIntervalHour toIntervalMinute toIntervalMonth toIntervalSecond toIntervalWeek toMinute toMonday
   toMonth toQuarter toSecond toStartOfDay toStartOfFifteenMinutes toStartOfFiveMinutes toStartOfHour toStartOfInterval
   toStartOfMinute toStartOfMonth toStartOfQuarter toStartOfSecond toStartOfTenMinutes toStartOfWeek toStartOfYear toTimeZone
   toUnixTimestamp toUnixTimestamp64Milli toWeek toYYYYMM toYYYYMMDD toYear today yesterday toBool toFloat64 toFloat64OrNull
   toFloat64OrZero toInt32 toInt64 toInt64OrNull toInt64OrZero toUInt64 toUInt64OrNull toUInt64OrZero toUUID toUUIDOrNull
   JSONExtractBool JSONExtractFloat JSONExtractInt JSONHas JSONLength JSONType isValidJSON arrayAvg arrayCount arrayExists
   arraySum has hasAll hasAny indexOf mapContains avg corr count covarPop covarSamp median quantile quantileExact
   quantileTDigest stddevPop stddevSamp sum uniq uniqExact varPop varSamp dense_rank ntile rank row_number`.split(
    /\s+/,
  ),
)

/** Quotes, and escapes of each character, around elements of one byte. */
const PRINTED_TIMES = 4

/** Upper bounds of functions that lengthen their arguments; of others it is the sum of the arguments. */
type Growth = (args: readonly Expression[]) => Size

const GROWTH = new Map<string, Growth>(
  Object.entries<Growth>({
    replace: growBySubstitutes,
    replaceAll: growBySubstitutes,
    replaceRegexpAll: growByMatches,
    replaceRegexpOne: growByMatches,
    toString: (args: readonly Expression[]) => multiplySize(sumOf(args), PRINTED_TIMES),
    // Each element may be one byte, so a separator counts for each byte.
    arrayStringConcat: ([list, separator]) => multiplySize(sumOf([list]), 1 + (separator?.text?.length ?? 0)),
    arrayMap: ([body, ...lists]) =>
      multiplySize(sumOf(lists), Math.max(1, (body?.size.times ?? 0) + (body?.size.bytes ?? 0))),
    // A directive of two characters prints up to twenty.
    formatDateTime: (args) => ({ times: 0, bytes: 32 + 10 * (args[1]?.text?.length ?? 0) }),
  }),
)

/** @returns an upper bound of the bytes of what a function returns */
export function sizeOfCall(name: string, args: readonly Expression[]): Size {
  const plain = name.endsWith('If') ? name.slice(0, -2) : name
  if (FIXED_RESULTS.has(name) || FIXED_RESULTS.has(plain)) return FIXED
  return GROWTH.get(name)?.(args) ?? sumOf(args)
}

const sumOf = (args: readonly (Expression | undefined)[]) => sumSizes(args.flatMap((arg) => arg?.size ?? []))

function growBySubstitutes([text, needle, substitute]: readonly Expression[]): Size {
  const growth = Math.max(1, bytesOf(substitute) / Math.max(1, bytesOf(needle)))
  return multiplySize(sumOf([text]), growth)
}

/** A pattern may match before each character; `\1` repeats the whole match. */
function growByMatches([text, , substitute]: readonly Expression[]): Size {
  const repeats = substitute?.text?.match(/\\\d/g)?.length ?? 0
  return multiplySize(sumOf([text]), 1 + bytesOf(substitute) + repeats)
}

const bytesOf = (literal: Expression | undefined) => Buffer.byteLength(literal?.text ?? '')
