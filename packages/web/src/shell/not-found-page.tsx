import { Link } from '@tanstack/react-router'
import { FileQuestion } from 'lucide-react'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'

export function NotFoundPage() {
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      <EmptyState
        icon={FileQuestion}
        title="There is no such page"
        actions={
          <Link to="/" className={buttonLook()}>
            Projects
          </Link>
        }
      >
        Nothing answers at {location.pathname}.
      </EmptyState>
    </main>
  )
}
