import { oneOf, preference } from '#lib/preference.ts'

export type Theme = 'system' | 'light' | 'dark'

/** Read before the first paint too, by `theme-before-paint.js`. */
export const themePreference = preference<Theme>('theme', 'system', oneOf('system', 'light', 'dark'))

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** Keeps the page in the chosen theme, and in the system's when that is the choice. */
export function followTheme(): void {
  themePreference.subscribe(applyTheme)
  prefersDark.addEventListener('change', applyTheme)
  applyTheme()
}

function applyTheme(): void {
  const theme = themePreference.read()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}
