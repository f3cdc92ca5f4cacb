/**
 * The functions that a statement may call. They are pure: none reads files, other tables, dictionaries, settings or the
 * network, none waits, and none multiplies its input by a number (`range`, `repeat`). The engine checks its time limit
 * between blocks of rows only, so `call-rules.ts` bounds what one call can take.
 */
const SCALAR = `
  abs ceil ceiling exp floor greatest intDiv isFinite isInfinite isNaN least ln log log10 log2 mod modulo pow power round sign
  sqrt trunc
  assumeNotNull coalesce if ifNull isNotNull isNull multiIf nullIf
  base64Decode cityHash64 concat empty endsWith extract extractAll length lengthUTF8 char_length left lower lowerUTF8 ltrim
  match multiSearchAny notEmpty position positionCaseInsensitive replace replaceAll replaceOne replaceRegexpAll
  replaceRegexpOne reverse right rtrim splitByChar splitByString startsWith substr substring substringUTF8 toString trim
  trimBoth trimLeft trimRight upper upperUTF8
  addDays addHours addMinutes addMonths addSeconds addWeeks addYears dateDiff dateTrunc date_diff date_trunc formatDateTime
  fromUnixTimestamp fromUnixTimestamp64Milli now parseDateTimeBestEffort parseDateTimeBestEffortOrNull
  parseDateTime64BestEffort parseDateTime64BestEffortOrNull subtractDays subtractHours subtractMinutes subtractMonths
  subtractSeconds subtractWeeks subtractYears toDate toDateTime toDateTime64 toDayOfMonth toDayOfWeek toDayOfYear toHour
  toISOWeek toIntervalDay toIntervalHour toIntervalMinute toIntervalMonth toIntervalSecond toIntervalWeek toMinute toMonday
  toMonth toQuarter toSecond toStartOfDay toStartOfFifteenMinutes toStartOfFiveMinutes toStartOfHour toStartOfInterval
  toStartOfMinute toStartOfMonth toStartOfQuarter toStartOfSecond toStartOfTenMinutes toStartOfWeek toStartOfYear toTimeZone
  toUnixTimestamp toUnixTimestamp64Milli toWeek toYYYYMM toYYYYMMDD toYear today yesterday
  toBool toFloat64 toFloat64OrNull toFloat64OrZero toInt32 toInt64 toInt64OrNull toInt64OrZero toUInt64 toUInt64OrNull
  toUInt64OrZero toUUID toUUIDOrNull
  JSONExtractArrayRaw JSONExtractBool JSONExtractFloat JSONExtractInt JSONExtractKeys JSONExtractRaw JSONExtractString
  JSONHas JSONLength JSONType JSON_VALUE isValidJSON
  array arrayAvg arrayConcat arrayCount arrayDistinct arrayElement arrayExists arrayFilter arrayFirst arrayJoin arrayMap
  arrayMax arrayMin arrayReverse arraySlice arraySort arrayStringConcat arraySum has hasAll hasAny indexOf map mapContains
  mapKeys mapValues tuple tupleElement`

/** Each also with the suffix `If`, which takes a condition as its last argument. */
const AGGREGATE = `
  any anyLast argMax argMin avg corr count covarPop covarSamp groupArray groupUniqArray max median min quantile quantileExact
  quantileTDigest quantiles quantilesExact stddevPop stddevSamp sum topK uniq uniqExact varPop varSamp`

const WINDOW = 'dense_rank first_value lag lagInFrame last_value lead leadInFrame nth_value ntile rank row_number'

const splitNames = (text: string) => text.trim().split(/\s+/)

/** Lower-case name → name in the engine; lookups ignore case. */
const FUNCTIONS: ReadonlyMap<string, string> = new Map(
  [...splitNames(SCALAR), ...splitNames(AGGREGATE).flatMap((name) => [name, `${name}If`]), ...splitNames(WINDOW)].map(
    (name) => [name.toLowerCase(), name],
  ),
)

/** The engine's name of a function; undefined when statements may not call it. */
export function findFunction(name: string): string | undefined {
  return FUNCTIONS.get(name.toLowerCase())
}

/** Names of all functions, for documentation. */
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.values()]

/** Types of `cast` and `::`, by their common names. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'Int64',
  bool: 'Bool',
  boolean: 'Bool',
  date: 'Date',
  datetime: "DateTime('UTC')",
  double: 'Float64',
  float: 'Float64',
  float64: 'Float64',
  int: 'Int64',
  int32: 'Int32',
  int64: 'Int64',
  integer: 'Int64',
  real: 'Float64',
  string: 'String',
  text: 'String',
  timestamp: "DateTime64(6, 'UTC')",
  uint64: 'UInt64',
  uuid: 'UUID',
  varchar: 'String',
}

export function findType(name: string): string | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(TYPES, key) ? TYPES[key] : undefined
}

/** Parts of a time that `interval` and `extract` name. */
export const TIME_UNITS = new Set(['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'])
