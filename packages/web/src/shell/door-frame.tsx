import type { ReactNode } from 'react'
import { Logo } from './logo.tsx'

export interface DoorFrameProps {
  /** Names the page in the browser's tab and as its heading. */
  title: string
  /** What is asked for, and why. */
  lead?: ReactNode
  children: ReactNode
}

/** The page before all others: a name, a sentence, a form. */
export function DoorFrame({ title, lead, children }: DoorFrameProps) {
  return (
    <main className="flex h-full items-start justify-center overflow-auto px-4 py-[10vh]">
      <title>{`${title} · Touchstone`}</title>
      <div className="flex w-full max-w-sm flex-col gap-4">
        <div className="flex items-center gap-3">
          <Logo size={32} />
          <span className="text-heading font-semibold">Touchstone</span>
        </div>
        <h1 className="text-title">{title}</h1>
        {lead !== undefined && <div className="text-form text-fg-muted">{lead}</div>}
        {children}
      </div>
    </main>
  )
}

/** What went wrong with a form as a whole; there from the start, so that it is announced. */
export function DoorProblem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="min-h-5 text-base text-err">
      {children}
    </p>
  )
}
