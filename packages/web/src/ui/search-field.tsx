import { type ComponentProps, type Ref, useEffect, useEffectEvent, useState } from 'react'
import { cx } from '#lib/browser.ts'

/** How long typing must pause before something is searched. */
const PAUSE_MS = 200

/** The text once typing pauses, for requests that would otherwise be sent on every key press. */
export function useSettledText(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

interface SearchFieldProps extends Pick<ComponentProps<'input'>, 'placeholder' | 'className' | 'maxLength'> {
  /** Accessible name. */
  label: string
  value: string
  /** Called once typing pauses, or at once on Enter. */
  onChange: (value: string) => void
  ref?: Ref<HTMLInputElement>
}

/** The field that searches the list of a page. Escape leaves it, so that the keys of the list work again. */
export function SearchField({ label, value, onChange, className = 'w-64', ...input }: SearchFieldProps) {
  const { text, write, send } = useDelayedText(value, onChange)
  return (
    <input
      {...input}
      type="search"
      dir="auto"
      aria-label={label}
      value={text}
      onChange={(event) => write(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') send()
        else if (event.key === 'Escape') event.currentTarget.blur()
      }}
      className={cx(
        'h-7 min-w-32 rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10',
        className,
      )}
    />
  )
}

/** The typed text, which the parent's value follows later. Any other change of the value replaces it. */
function useDelayedText(value: string, onChange: (value: string) => void) {
  const [typed, setTyped] = useState<{ text: string; isSent: boolean }>()
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    if (typed?.isSent) setTyped(undefined)
  }
  function send() {
    if (typed === undefined || typed.isSent) return
    setTyped({ ...typed, isSent: true })
    onChange(typed.text)
  }
  const sendLater = useEffectEvent(send)
  useEffect(() => {
    if (typed === undefined || typed.isSent) return
    const timer = setTimeout(sendLater, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return { text: typed?.text ?? value, write: (text: string) => setTyped({ text, isSent: false }), send }
}
