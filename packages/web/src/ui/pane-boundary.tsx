import { Component, type ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'

interface PaneBoundaryProps {
  /** What to say when the pane fails. */
  title: string
  children: ReactNode
}

/** Keeps a failure inside its pane; the rest of the page goes on. */
export class PaneBoundary extends Component<PaneBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <ErrorState
        title={this.props.title}
        error={this.state.error}
        onRetry={() => this.setState({ error: undefined })}
      />
    )
  }
}
