// Mistakes, not taste; prettier decides how it looks.
export default [
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    rules: {
      "no-undef": "off",
      "no-unused-vars": "error",
      "no-implicit-globals": "error",
      "no-shadow": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-fallthrough": "error",
    },
  },
];
