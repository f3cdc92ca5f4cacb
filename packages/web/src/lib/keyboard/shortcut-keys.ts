const isMac = typeof navigator !== 'undefined' && /Mac|iP(hone|ad)/.test(navigator.platform)

const NAMES: Record<string, string> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: 'Shift',
  alt: isMac ? '⌥' : 'Alt',
  arrowleft: '←',
  arrowright: '→',
  arrowup: '↑',
  arrowdown: '↓',
  enter: 'Enter',
  escape: 'Esc',
  space: 'Space',
  home: 'Home',
  end: 'End',
  pagedown: 'Page Down',
  pageup: 'Page Up',
  delete: 'Delete',
}

/** The keys of a shortcut for display: `mod+k` → Ctrl, K; `g p` → g, p; `shift+j` → J. */
export function showKeys(keys: string): string[] {
  return keys.split(' ').flatMap((chord) => {
    const parts = chord === '+' ? ['+'] : chord.split('+')
    if (parts.length === 2 && parts[0] === 'shift' && parts[1]?.length === 1) return [parts[1].toUpperCase()]
    return parts.map((part) => NAMES[part] ?? (parts.length > 1 || /^f\d/.test(part) ? part.toUpperCase() : part))
  })
}

/**
 * The chord of a key press, in the notation of shortcuts: lower case, `mod` for Ctrl or ⌘, and `shift` only if the
 * character does not imply it (`?` rather than `shift+?`, but `shift+j`).
 */
export function toChord(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const isLetter = /^[a-z]$/.test(key)
  const shift = event.shiftKey && (isLetter || key.length > 1)
  return [(event.ctrlKey || event.metaKey) && 'mod', event.altKey && 'alt', shift && 'shift', key]
    .filter(Boolean)
    .join('+')
}
