import { useMemo } from 'react'
import type { RunColours } from '#lib/trace-model/run-colors.ts'

/** Colours as a canvas takes them. */
export interface Paint {
  /** By the class of `RunColours`. */
  classes: readonly { solid: string; tint: string }[]
  error: { solid: string; tint: string }
  text: string
  muted: string
  accent: string
  font: string
}

/** The colours of the page as values a canvas understands; read anew when the theme changes. */
export function usePaint(colours: RunColours, theme: string): Paint {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values come from the page, which follows the theme
  return useMemo(() => {
    const read = openReader()
    const paint: Paint = {
      classes: colours.classes.map(({ solid, tint }) => ({ solid: read(solid), tint: read(tint) })),
      error: { solid: read('var(--err)'), tint: read('var(--del-bg)') },
      text: read('var(--fg)'),
      muted: read('var(--fg-muted)'),
      accent: read('var(--accent)'),
      font: `11px ${getComputedStyle(document.body).fontFamily}`,
    }
    read.close()
    return paint
  }, [colours.classes, theme])
}

/** Turns CSS colours with variables and mixtures into plain ones, by asking an element that nobody sees. */
function openReader() {
  const probe = document.body.appendChild(document.createElement('span'))
  probe.hidden = true
  const read = (colour: string) => {
    probe.style.color = colour
    return getComputedStyle(probe).color
  }
  return Object.assign(read, { close: () => probe.remove() })
}
