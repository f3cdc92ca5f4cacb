import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

interface Toast {
  id: number
  kind: 'done' | 'failure'
  text: string
  detail?: string | undefined
  action?: { label: string; run: () => void } | undefined
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Short messages at the bottom right. Successes leave after 4 s (5 s with an action); failures stay until dismissed. */
export const toast = {
  done(text: string, action?: Toast['action']) {
    const id = add({ kind: 'done', text, action })
    setTimeout(() => dismiss(id), action ? 5000 : 4000)
  },
  failure(text: string, cause?: unknown, action?: Toast['action']) {
    if (toasts.some((shown) => shown.kind === 'failure' && shown.text === text)) return
    add({ kind: 'failure', text, action, detail: cause === undefined ? undefined : describeFailure(cause).message })
  },
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section
      aria-label="Notifications"
      className="fixed bottom-8 right-3 z-50 flex w-80 max-w-[calc(100vw-24px)] flex-col gap-2"
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
  toasts = [...toasts.slice(-3), { ...item, id: lastId }]
  for (const listener of listeners) listener()
  return lastId
}

function dismiss(id: number) {
  toasts = toasts.filter((item) => item.id !== id)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
