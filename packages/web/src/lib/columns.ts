/** Reads a row of a float column. `NaN` means "not known", also for a row that does not exist. */
export function floatAt(column: Float64Array, row: number): number {
  return column[row] ?? Number.NaN
}

/** Reads a row of an integer column. `-1` means "none", also for a row that does not exist. */
export function intAt(column: Int32Array | Uint32Array | Uint16Array | Uint8Array, row: number): number {
  return column[row] ?? -1
}

export function bigintAt(column: BigInt64Array, row: number): bigint {
  return column[row] ?? 0n
}
