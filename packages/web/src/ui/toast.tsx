import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { describeFailure } from '#lib/errors.ts'
import { createStore, useStore } from '#lib/store.ts'
import { Button, IconButton } from './button.tsx'

interface Toast {
  id: number
  kind: 'done' | 'failure'
  text: string
  detail?: string | undefined
  action?: { label: string; run: () => void } | undefined
}

/** More toasts than this push the oldest out. */
const MAX_TOASTS = 4
const DONE_MS = 4_000
const DONE_WITH_ACTION_MS = 5_000

const store = createStore<readonly Toast[]>(() => [])
let lastId = 0

/**
 * Short messages at the bottom right. Successes disappear by themselves, but not while the pointer or the focus is on
 * the messages; failures stay until dismissed.
 */
export const toast = {
  /** @returns takes the message back, for a failure that is found later */
  done(text: string, action?: Toast['action']): () => void {
    const id = add({ kind: 'done', text, action })
    closeAfter(id, action ? DONE_WITH_ACTION_MS : DONE_MS)
    return () => dismiss(id)
  },
  /** Something that the user should know; it stays until it is dismissed. */
  note(text: string) {
    add({ kind: 'done', text })
  },
  failure(text: string, cause?: unknown, action?: Toast['action']) {
    if (store.read().some((item) => item.kind === 'failure' && item.text === text)) return
    add({ kind: 'failure', text, action, detail: cause === undefined ? undefined : describeFailure(cause).message })
  },
}

/** Draws the toasts. */
export function Toasts() {
  const shown = useStore(store)
  return (
    <section
      aria-label="Notifications"
      onPointerEnter={() => hold('pointer')}
      onPointerLeave={() => release('pointer')}
      onFocus={() => hold('focus')}
      onBlur={() => release('focus')}
      className="fixed bottom-8 right-3 z-60 flex w-80 max-w-[calc(100vw-24px)] flex-col gap-2"
    >
      {shown.map((item) => (
        <div
          key={item.id}
          role={item.kind === 'failure' ? 'alert' : 'status'}
          className="flex animate-layer items-start gap-2 rounded-card border border-border bg-surface p-3 shadow-layer"
        >
          {item.kind === 'failure' ? (
            <CircleAlert size={16} className="mt-0.5 shrink-0 text-err" aria-hidden />
          ) : (
            <CircleCheck size={16} className="mt-0.5 shrink-0 text-ok" aria-hidden />
          )}
          <div className="min-w-0 flex-1 break-words text-base">
            {item.text}
            {item.detail && <p className="text-row text-fg-muted">{item.detail}</p>}
          </div>
          {item.action && (
            <Button
              onClick={() => {
                item.action?.run()
                dismiss(item.id)
              }}
            >
              {item.action.label}
            </Button>
          )}
          <IconButton icon={X} label="Dismiss" onClick={() => dismiss(item.id)} />
        </div>
      ))}
    </section>
  )
}

function add(item: Omit<Toast, 'id'>): number {
  lastId += 1
  store.write([...store.read().slice(1 - MAX_TOASTS), { ...item, id: lastId }])
  return lastId
}

function dismiss(id: number) {
  clearTimeout(closing.get(id)?.timer)
  closing.delete(id)
  store.write(store.read().filter((item) => item.id !== id))
  // The element that had the focus is gone, and browsers do not report that as a blur.
  release('focus')
  if (store.read().length === 0) release('pointer')
}

/** Removes all messages without their actions. */
export function clearToasts() {
  for (const { id } of store.read()) dismiss(id)
}

interface Closing {
  readonly ms: number
  /** Undefined for a message that came while the messages were held. */
  readonly timer: ReturnType<typeof setTimeout> | undefined
}

/** The messages that disappear by themselves, by id. */
const closing = new Map<number, Closing>()

function closeAfter(id: number, ms: number) {
  closing.set(id, { ms, timer: holders.size > 0 ? undefined : setTimeout(() => dismiss(id), ms) })
}

type Holder = 'pointer' | 'focus'

/** What is on the messages now. */
const holders = new Set<Holder>()

function hold(holder: Holder) {
  holders.add(holder)
  for (const { timer } of closing.values()) clearTimeout(timer)
}

function release(holder: Holder) {
  if (!holders.delete(holder) || holders.size > 0) return
  for (const [id, { ms, timer }] of closing) {
    clearTimeout(timer)
    closeAfter(id, ms)
  }
}
