import {
  Binary,
  Bot,
  Braces,
  CircleDashed,
  FileSearch,
  Link2,
  type LucideIcon,
  MessageSquareText,
  Sparkles,
  Wrench,
} from 'lucide-react'
import { runTypeLook } from '#lib/runs/run-types.ts'

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
