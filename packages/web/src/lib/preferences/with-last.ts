/** A record with one entry set and put last; of more than `most`, the first ones go. */
export function withLast<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
  value: Value,
  most: number,
): Record<string, Value> {
  const others = Object.entries(record).filter(([name]) => name !== key)
  return Object.fromEntries([...others, [key, value] as const].slice(-most))
}
