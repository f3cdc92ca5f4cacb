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

/** The keys of a shortcut for display: `mod+k` → Ctrl, K; `g p` → g, p; `shift+j` → J; `shift+1` → ⇧1. */
export function showKeys(keys: string): string[] {
  return keys.split(' ').flatMap((chord) => {
    const parts = chord === '+' ? ['+'] : chord.split('+')
    const [modifier, key = ''] = parts
    if (parts.length === 2 && modifier === 'shift' && /^\d$/.test(key)) return [`⇧${key}`]
    if (parts.length === 2 && modifier === 'shift' && key.length === 1) return [key.toUpperCase()]
    return parts.map((part) => NAMES[part] ?? (parts.length > 1 || /^f\d/.test(part) ? part.toUpperCase() : part))
  })
}

type KeyPress = Pick<KeyboardEvent, 'code' | 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/**
 * The chord of a key press, in the notation of shortcuts: lower case, `mod` for Ctrl or ⌘, and `shift` only if the
 * character does not imply it (`?` rather than `shift+?`, but `shift+j`).
 */
function toChord(event: KeyPress): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const isLetter = /^[a-z]$/.test(key)
  const shift = event.shiftKey && (isLetter || key.length > 1)
  return [(event.ctrlKey || event.metaKey) && 'mod', event.altKey && 'alt', shift && 'shift', key]
    .filter(Boolean)
    .join('+')
}

/**
 * Shift and a digit by the place of the key, `shift+1`, because layouts print different characters there: `!` in the US,
 * `+` in Switzerland. Undefined where Shift types the digit itself, as in France: the press means the digit.
 */
function toDigitChord({ code, key, shiftKey, ctrlKey, metaKey, altKey }: KeyPress): string | undefined {
  if (/^\d$/.test(key)) return undefined
  const digit = /^Digit(\d)$/.exec(code)?.[1]
  return digit !== undefined && shiftKey && !ctrlKey && !metaKey && !altKey ? `shift+${digit}` : undefined
}

/** Part of the keyboard map; `?` lists the active ones in this order. */
export const SCOPES = ['Global', 'List', 'Run / trace', 'Compare', 'Review', 'JSON'] as const
export type Scope = (typeof SCOPES)[number]

export interface Shortcut {
  /** `j`, `shift+j`, `shift+1`, `mod+k`, `?`, `enter`, `arrowdown`; a sequence as `g p`. A list of alternatives for the same action. */
  keys: string | readonly string[]
  label: string
  run: (event: KeyboardEvent) => void
}

export interface ShortcutGroup {
  scope: Scope
  shortcuts: readonly Shortcut[]
  /** The group is only active while this pane has the focus; absent: always. */
  pane?: () => Element | null
}

/** How long the second key of a sequence may take. */
const SEQUENCE_MS = 1200
const TEXT_FIELD =
  'input:not([type=checkbox],[type=radio],[type=button]), textarea, [role=combobox], [contenteditable=true]'
/** Chords that text fields use themselves. */
const EDITING = /^mod\+(shift\+)?([acvxyz]|enter|arrow\w+|home|end|backspace|delete)$/
const LAYER = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
const PRESSABLE = 'a, button, summary, [role=button], [role=tab], [role=menuitem], [role=checkbox], [role=separator]'

/** Whether a dialog, a menu or a list of suggestions is open above the page. */
export function isLayerOpen(): boolean {
  return document.querySelector(LAYER) !== null
}

/**
 * All shortcuts of the app. A group whose pane has the focus comes first, then the group added last, so that a panel
 * overrides the list behind it.
 */
export class ShortcutRegistry {
  #groups: ShortcutGroup[] = []
  #pending = ''
  #pendingUntil = 0
  /** Single letters can be switched off (WCAG 2.1.4); chords with Ctrl or ⌘ keep working. */
  singleKeys = true

  /** @returns a function that removes the group */
  add(group: ShortcutGroup): () => void {
    this.#groups = [...this.#groups, group]
    return () => {
      this.#groups = this.#groups.filter((one) => one !== group)
    }
  }

  /** Active groups, for the help layer. */
  groups(): readonly ShortcutGroup[] {
    return this.#groups
  }

  /** The active shortcut of some keys. */
  find(keys: string): Pick<Shortcut, 'run'> | undefined {
    return find(this.#groups.toReversed(), keys)
  }

  /** Runs the shortcut of a key press, if there is one. */
  handle(event: KeyboardEvent, nowMs = Date.now()): void {
    if (event.defaultPrevented || event.isComposing) return
    const chord = toChord(event)
    const digit = toDigitChord(event)
    const pending = nowMs < this.#pendingUntil ? this.#pending : ''
    this.#pending = ''
    const target = toElement(event.target)
    if (!this.#isAllowed(chord, target)) return
    const groups = this.#inOrder(target)
    const found =
      (pending && find(groups, `${pending} ${chord}`)) || (digit && find(groups, digit)) || find(groups, chord)
    if (found) {
      event.preventDefault()
      found.run(event)
    } else if (groups.some((group) => group.shortcuts.some((one) => startsSequence(one, chord)))) {
      this.#pending = chord
      this.#pendingUntil = nowMs + SEQUENCE_MS
    }
  }

  #isAllowed(chord: string, target: Element | undefined): boolean {
    const isCommand = (chord.includes('mod+') || chord.endsWith('f6')) && !EDITING.test(chord)
    if (isCommand) return true
    if (!this.singleKeys && /^(shift\+)?[^+]$/.test(chord)) return false
    if (!target) return true
    if (target.closest(TEXT_FIELD)) return false
    if ((chord === 'enter' || chord === 'space') && target.closest(PRESSABLE)) return false
    const layer = target.closest(LAYER)
    return !layer || this.#groups.some((group) => group.pane && layer.contains(group.pane()))
  }

  #inOrder(target: Element | undefined): ShortcutGroup[] {
    const newestFirst = this.#groups.toReversed()
    const focused = newestFirst.filter((group) => target && group.pane?.()?.contains(target))
    return [...focused, ...newestFirst.filter((group) => group.pane === undefined)]
  }
}

/** The element with the focus; undefined for the page itself. */
function toElement(target: EventTarget | null): Element | undefined {
  return target !== null && 'closest' in target ? (target as Element) : undefined
}

function find(groups: readonly ShortcutGroup[], keys: string): Shortcut | undefined {
  for (const group of groups) {
    const found = group.shortcuts.find((one) => listKeys(one).includes(keys))
    if (found) return found
  }
  return undefined
}

function startsSequence(shortcut: Shortcut, chord: string): boolean {
  return listKeys(shortcut).some((keys) => keys.startsWith(`${chord} `))
}

function listKeys(shortcut: Shortcut): readonly string[] {
  return typeof shortcut.keys === 'string' ? [shortcut.keys] : shortcut.keys
}
