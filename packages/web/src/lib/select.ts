/** One choice of a select. */
export interface SelectOption<Value extends string = string> {
  value: Value
  /** Shown in the list and, when chosen, in the field. */
  label: string
  /** Heading of the options that follow each other with the same group. */
  group?: string
  disabled?: boolean
}

/** A list of this length or longer has a search field. */
const SEARCHED_FROM = 10

export function needsSearch(options: readonly SelectOption[]): boolean {
  return options.length >= SEARCHED_FROM
}

/** The options that contain every word of a search, in their order; options that start with it come first. */
export function searchOptions<Option extends SelectOption>(
  options: readonly Option[],
  search: string,
): readonly Option[] {
  const text = search.trim().toLowerCase()
  if (text === '') return options
  const words = text.split(/\s+/)
  const found = options.filter(({ label, group = '' }) => {
    const name = `${group} ${label}`.toLowerCase()
    return words.every((word) => name.includes(word))
  })
  const isFirst = ({ label }: Option) => label.toLowerCase().startsWith(text)
  return [...found.filter(isFirst), ...found.filter((option) => !isFirst(option))]
}

/**
 * The option to choose for typed letters, as in a native select: the next one that starts with them. The same letter typed
 * again goes to the next option with it.
 *
 * @param at  index of the current option, -1 for none
 * @returns its index, or undefined if no option starts with the letters
 */
export function findTyped(options: readonly SelectOption[], typed: string, at: number): number | undefined {
  const letters = typed.toLowerCase()
  const isRepeated = [...letters].every((letter) => letter === letters[0])
  const wanted = isRepeated ? letters.slice(0, 1) : letters
  // One letter moves on from the current option; more letters may still fit it.
  const from = isRepeated ? at + 1 : Math.max(at, 0)
  for (let step = 0; step < options.length; step++) {
    const index = (from + step) % options.length
    const option = options[index]
    if (option && !option.disabled && option.label.toLowerCase().startsWith(wanted)) return index
  }
  return undefined
}

/** How far Page Up and Page Down go. */
const PAGE = 10

/**
 * The option that a key makes active. The ends of the list hold; disabled options are passed over.
 *
 * @param at  index of the active option, -1 for none
 * @returns an index, -1 if no option can be chosen, or undefined if the key does not move
 */
export function moveActive(options: readonly SelectOption[], at: number, key: string): number | undefined {
  const choices = options.flatMap(({ disabled }, index) => (disabled ? [] : [index]))
  const last = choices.length - 1
  const here = choices.indexOf(at)
  const clamp = (to: number) => choices[Math.min(Math.max(to, 0), last)] ?? -1
  switch (key) {
    case 'ArrowDown':
      return clamp(here + 1)
    case 'ArrowUp':
      return clamp(here < 0 ? last : here - 1)
    case 'Home':
    case 'PageUp':
      return clamp(key === 'Home' ? 0 : here - PAGE)
    case 'End':
    case 'PageDown':
      return clamp(key === 'End' ? last : here + PAGE)
    default:
      return undefined
  }
}
