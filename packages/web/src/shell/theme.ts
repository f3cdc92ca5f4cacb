import { chooseFormats } from '#lib/format/format.ts'
import { createPreference, oneOf } from '#lib/preferences/preference.ts'
import { decimalsPreference, motionPreference, zonePreference } from '#lib/preferences/preferences.ts'

export type Theme = 'system' | 'light' | 'dark'

/** Read before the first paint too, by `theme-before-paint.js`. */
export const themePreference = createPreference<Theme>('theme', 'system', oneOf('system', 'light', 'dark'))

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** Keeps the page in the chosen theme, and in the system's when that is the choice. */
export function followTheme(): void {
  themePreference.subscribe(applyTheme)
  prefersDark.addEventListener('change', applyTheme)
  applyTheme()
}

/** Keeps formats and motion as the person chose them; pages drawn from then on follow. */
export function followPreferences(): void {
  for (const one of [zonePreference, decimalsPreference, motionPreference]) one.subscribe(applyPreferences)
  applyPreferences()
}

function applyPreferences(): void {
  chooseFormats({ zone: zonePreference.read(), decimals: decimalsPreference.read() })
  document.documentElement.dataset.motion = motionPreference.read()
}

function applyTheme(): void {
  const theme = themePreference.read()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}
