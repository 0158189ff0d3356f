import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'jsdom',
    setupFiles: ['test/setup.ts'],
    projects: [
      {
        // Views keep no state in their modules: a new environment for each file would take most of the time.
        extends: true,
        test: {
          name: 'views',
          include: ['test/views/**/*.test.{ts,tsx}'],
          isolate: false
        }
      },
      {
        extends: true,
        test: { name: 'lab', include: ['test/lab/**/*.test.{ts,tsx}'] }
      }
    ]
  }
});
