import { createPreference, isOneOf, motionPreference } from '#lib/preferences.ts'

export type Theme = 'system' | 'light' | 'dark'

/** `before-paint.js` reads it too, before the first paint. */
export const themePreference = createPreference<Theme>('theme', 'system', isOneOf('system', 'light', 'dark'))

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** Applies the theme preference to the document, now and after each change of it or of the system's theme. */
export function followTheme(): void {
  themePreference.subscribe(applyTheme)
  prefersDark.addEventListener('change', applyTheme)
  applyTheme()
}

/** Applies the motion preference to the document, now and after each change. */
export function followMotion(): void {
  motionPreference.subscribe(applyMotion)
  applyMotion()
}

function applyMotion(): void {
  document.documentElement.dataset.motion = motionPreference.read()
}

function applyTheme(): void {
  const theme = themePreference.read()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}
