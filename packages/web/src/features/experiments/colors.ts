import { SERIES_COLORS, type SeriesColor } from '#lib/series-colors.ts'

/**
 * The color of each experiment. It follows from the id, so that an experiment looks the same on every page; if two share
 * a color, the later one gets the next free color. Beyond eight experiments, colors repeat.
 */
export function assignColors(ids: readonly string[]): ReadonlyMap<string, SeriesColor> {
  const colors = new Map<string, SeriesColor>()
  const taken = new Set<number>()
  for (const id of new Set(ids)) {
    if (taken.size === SERIES_COLORS.length) taken.clear()
    let at = hashText(id) % SERIES_COLORS.length
    while (taken.has(at)) at = (at + 1) % SERIES_COLORS.length
    taken.add(at)
    colors.set(id, SERIES_COLORS[at] ?? 'series-slate')
  }
  return colors
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
