/** A line of text beside a point of a chart, in px. */
export interface LabelBox {
  readonly left: number
  readonly right: number
  /** Its middle. */
  readonly top: number
}

/** Height of a label with some space, in px. */
const LINE = 13
/** How far a label may move, in lines: its own place first, then the nearest ones. */
const MOVES = [0, -1, 1, -2, 2]

/**
 * Moves labels up or down where they would cover others.
 *
 * @param bounds  lowest and highest allowed middle
 * @returns how far each label moves down, in px
 */
export function placeLabels(labels: readonly LabelBox[], [low, high]: readonly [number, number]): number[] {
  const placed: LabelBox[] = []
  const isFree = (box: LabelBox) =>
    placed.every((one) => Math.abs(one.top - box.top) >= LINE || one.left >= box.right || one.right <= box.left)
  return labels.map((label) => {
    const moves = MOVES.map((lines) => lines * LINE).filter((by) => label.top + by >= low && label.top + by <= high)
    const by = moves.find((move) => isFree({ ...label, top: label.top + move })) ?? 0
    placed.push({ ...label, top: label.top + by })
    return by
  })
}
