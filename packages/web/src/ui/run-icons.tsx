import {
  Binary,
  Bot,
  Braces,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  FileSearch,
  Link2,
  LoaderCircle,
  type LucideIcon,
  MessageSquareText,
  Sparkles,
  Wrench,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { runTypeLook } from '#lib/run-types.ts'
import { useNow } from './hooks.tsx'

const ICONS: Record<string, LucideIcon> = {
  Binary,
  Bot,
  Braces,
  FileSearch,
  Link2,
  MessageSquareText,
  Sparkles,
  Wrench,
}

/** Icon and color of a run type, with the name for screen readers and on hover. */
export function RunTypeIcon({ type, size = 14 }: { type: string; size?: number }) {
  const look = runTypeLook(type)
  const Icon = ICONS[look.icon] ?? CircleDashed
  return (
    <span title={look.label} className="inline-flex shrink-0" style={{ color: look.ink }}>
      <Icon size={size} strokeWidth={1.75} aria-hidden />
      <span className="sr-only">{look.label}</span>
    </span>
  )
}

interface StatusMarkProps {
  status: string
  start_time: string
  end_time?: string | null | undefined
  /** Also shows an icon for success, which lists leave out. @default false */
  showSuccess?: boolean
  size?: number
}

/** A run without an end for this long is marked as having lost its end event. */
export const NO_END_MS = 10 * 60_000

/** Status of a run as an icon with a label. */
export function StatusMark({ status, start_time, end_time, showSuccess = false, size = 14 }: StatusMarkProps) {
  const props = { size, strokeWidth: 2, 'aria-hidden': true } as const
  if (status === 'error') return mark('Error', <CircleX {...props} className="text-err" />)
  if (status === 'interrupted') return mark('Interrupted', <CirclePause {...props} className="text-warn" />)
  if (status === 'pending' && !end_time) return <RunningMark startMs={Date.parse(start_time)} size={size} />
  if (status === 'success') return showSuccess ? mark('Success', <CircleCheck {...props} className="text-ok" />) : null
  return mark(status, <CircleAlert {...props} className="text-fg-subtle" />)
}

function RunningMark({ startMs, size }: { startMs: number; size: number }) {
  const props = { size, strokeWidth: 2, 'aria-hidden': true } as const
  return useNow(10_000) - startMs > NO_END_MS
    ? mark('No end event for over 10 minutes', <CircleDashed {...props} className="text-warn" />)
    : mark('Running', <LoaderCircle {...props} className="animate-spin text-run" />)
}

function mark(label: string, icon: ReactNode) {
  return (
    <span title={label} className="inline-flex shrink-0">
      {icon}
      <span className="sr-only">{label}</span>
    </span>
  )
}
