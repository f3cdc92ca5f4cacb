import { describe, expect, it } from 'vitest'
import { placeLabels } from './place-labels.ts'

const box = (left: number, right: number, top: number) => ({ left, right, top })

describe('labels of the points of a chart', () => {
  it('stay where they cover no other', () => {
    expect(placeLabels([box(0, 50, 20), box(60, 90, 20), box(0, 50, 40)], [0, 100])).toEqual([0, 0, 0])
  })

  it('move up or down to the nearest free place', () => {
    expect(placeLabels([box(0, 50, 50), box(40, 90, 52), box(0, 90, 51)], [0, 100])).toEqual([0, 13, -26])
  })

  it('stay within the plot, and move no more than two lines', () => {
    expect(placeLabels([box(0, 50, 5), box(0, 50, 5)], [0, 100])).toEqual([0, 13])
    expect(
      placeLabels(
        Array.from({ length: 6 }, () => box(0, 50, 50)),
        [0, 100],
      ),
    ).toEqual([0, -13, 13, -26, 26, 0])
  })
})
