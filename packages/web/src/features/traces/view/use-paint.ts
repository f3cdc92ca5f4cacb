import { useMemo } from 'react'
import type { RunColors } from '../model/run-colors.ts'

/** Colors as canvas values. */
export interface Paint {
  /** By the class of `RunColors`. */
  classes: readonly { solid: string; tint: string }[]
  error: { solid: string; tint: string }
  text: string
  muted: string
  accent: string
  font: string
}

/** The colors of the page as canvas values. They are computed again when the theme changes. */
export function usePaint(colors: RunColors, theme: string): Paint {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values come from the page, which follows the theme
  return useMemo(() => {
    const read = openReader()
    const paint: Paint = {
      classes: colors.classes.map(({ solid, tint }) => ({ solid: read(solid), tint: read(tint) })),
      error: { solid: read('var(--err)'), tint: read('var(--del-bg)') },
      text: read('var(--fg)'),
      muted: read('var(--fg-muted)'),
      accent: read('var(--accent)'),
      font: `11px ${getComputedStyle(document.body).fontFamily}`,
    }
    read.close()
    return paint
  }, [colors.classes, theme])
}

/** Resolves CSS colors with variables and mixtures, with the computed style of a hidden element. */
function openReader() {
  const probe = document.body.appendChild(document.createElement('span'))
  probe.hidden = true
  const read = (color: string) => {
    probe.style.color = color
    return getComputedStyle(probe).color
  }
  return Object.assign(read, { close: () => probe.remove() })
}
