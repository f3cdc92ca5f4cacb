/** Which columns get a place first when not all of them fit. Others follow in their own order. */
const FIRST_PLACES = ['name', 'output', 'latency', 'cost', 'tokens', 'start', 'input', 'feedback', 'ttft']
/** Columns that stay even where they do not fit. */
const ALWAYS = new Set(['name', 'output', 'latency'])

/**
 * The columns that fit side by side, in their own order. Name, Output and Latency always stay.
 *
 * @param getMinWidth  minimum width of a column in px
 * @param available    width for all columns in px
 */
export function fitColumns(
  ids: readonly string[],
  getMinWidth: (id: string) => number,
  available: number,
): readonly string[] {
  const kept = new Set(ids.filter((id) => ALWAYS.has(id)))
  let left = [...kept].reduce((rest, id) => rest - getMinWidth(id), available)
  const optional = ids.filter((id) => !kept.has(id))
  for (const id of optional.toSorted((one, other) => rank(one) - rank(other))) {
    const width = getMinWidth(id)
    if (width > left) continue
    kept.add(id)
    left -= width
  }
  return ids.filter((id) => kept.has(id))
}

/**
 * The chosen widths that fit, by column id. Narrower ones always apply; each wider one applies if it still fits.
 *
 * @param minWidths  of all shown columns without a choice, in px
 * @param available  width for all columns in px
 * @param firstId    the column whose width was set last; it gets its width before the others
 */
export function fitWidths(
  minWidths: ReadonlyMap<string, number>,
  chosen: Readonly<Record<string, number>>,
  available: number,
  firstId: string | undefined,
): ReadonlyMap<string, number> {
  const requested = [...minWidths].flatMap(([id, minWidth]) => {
    const width = chosen[id]
    return width === undefined ? [] : [{ id, width, extra: width - minWidth }]
  })
  const turn = ({ id, extra }: { id: string; extra: number }) => (extra <= 0 ? 0 : id === firstId ? 1 : 2)
  let left = available - sum(minWidths.values())
  const fitting = new Map<string, number>()
  for (const { id, width, extra } of requested.toSorted((one, other) => turn(one) - turn(other))) {
    if (extra > Math.max(left, 0)) continue
    fitting.set(id, width)
    left -= extra
  }
  return fitting
}

/**
 * The largest width in px that a column can get without changing the others; never less than its own minimum.
 *
 * @param minWidths  of all shown columns without a choice, in px
 * @param chosen     widths that apply to the columns
 * @param available  width for all columns in px
 */
export function getWidthLimit(
  id: string,
  minWidths: ReadonlyMap<string, number>,
  chosen: ReadonlyMap<string, number>,
  available: number,
): number {
  const others = [...minWidths].filter(([other]) => other !== id)
  const left = available - sum(others.map(([other, minWidth]) => chosen.get(other) ?? minWidth))
  return Math.max(left, minWidths.get(id) ?? 0)
}

function sum(widths: Iterable<number>): number {
  return [...widths].reduce((total, width) => total + width, 0)
}

function rank(id: string): number {
  const place = FIRST_PLACES.indexOf(id)
  return place === -1 ? FIRST_PLACES.length : place
}

/** Width of a digit in a cell, and the padding of the cell, in px. */
const DIGIT_PX = 7.2
const PADDING_PX = 18

/** The width in px of a column of figures that shows its longest text in full. */
export function getFigureWidth(texts: readonly string[], minWidth: number): number {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), 0)
  return Math.max(minWidth, Math.ceil(longest * DIGIT_PX) + PADDING_PX)
}
