import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SERIES_COLORS } from './series-colors.ts'

type Color = readonly [number, number, number]

/** Simulations of complete color blindness in linear RGB: Machado, Oliveira and Fernandes, 2009, severity 1. */
const VISIONS: Readonly<Record<string, readonly Color[]>> = {
  'full color vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** Least distances in CIE L*a*b* (Delta E 1976; 2.3 is just noticeable). Neighbors touch in stacked bars. */
const BETWEEN_NEIGHBORS = 24
const BETWEEN_ANY_TWO = 12
/** Least contrast with the surface of a card. */
const CONTRAST = 4

const css = readFileSync(new URL('../ui/tokens.css', import.meta.url), 'utf8')
const [light = '', dark = ''] = css.split('[data-theme="dark"]')

function readToken(theme: string, name: string): Color {
  const hex = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(theme)?.[1] ?? ''
  const toLinear = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [toLinear(0), toLinear(2), toLinear(4)]
}

const multiply = (rows: readonly Color[], color: Color) =>
  rows.map((row) => row.reduce((sum, factor, at) => sum + factor * (color[at] ?? 0), 0))

const TO_XYZ: readonly Color[] = [
  [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339 / 1.08883, 0.119192 / 1.08883, 0.9503041 / 1.08883],
]

function toLab(color: Color, vision: readonly Color[]): Color {
  const seen = multiply(vision, color).map((value) => Math.min(Math.max(value, 0), 1))
  const [x = 0, y = 0, z = 0] = multiply(TO_XYZ, seen as unknown as Color).map((value) =>
    value > 216 / 24_389 ? Math.cbrt(value) : ((24_389 / 27) * value + 16) / 116,
  )
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const distance = (one: Color, other: Color) => Math.hypot(...one.map((value, at) => value - (other[at] ?? 0)))
const luminance = (color: Color) => 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]

function getContrast(one: Color, other: Color): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

describe.each([
  ['light', light],
  ['dark', dark],
])('the colors of chart series in the %s theme', (_, theme) => {
  it.each(Object.entries(VISIONS))('differ for readers with %s', (_, vision) => {
    const colors = SERIES_COLORS.map((name) => toLab(readToken(theme, name), vision))
    const pairs = colors.flatMap((color, at) =>
      colors.slice(at + 1).map((other, gap) => ({
        pair: `${SERIES_COLORS[at]} ${SERIES_COLORS[at + 1 + gap]}`,
        distance: distance(color, other),
        least: gap === 0 ? BETWEEN_NEIGHBORS : BETWEEN_ANY_TWO,
      })),
    )
    expect(pairs.filter(({ distance, least }) => distance < least)).toEqual([])
  })

  it('are visible on a card', () => {
    const surface = readToken(theme, 'surface')
    const faint = SERIES_COLORS.filter((name) => getContrast(readToken(theme, name), surface) < CONTRAST)
    expect(faint).toEqual([])
  })

  it.each(Object.entries(VISIONS))('tell failed runs from others with %s', (_, vision) => {
    const [ok, failed] = ['series-blue', 'err'].map((name) => toLab(readToken(theme, name), vision))
    expect(ok && failed && distance(ok, failed)).toBeGreaterThan(BETWEEN_NEIGHBORS)
  })
})
