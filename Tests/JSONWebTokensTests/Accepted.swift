import JSONValue

@testable import JSONWebTokens

/// A token for each algorithm, with the same claims. All were made with another library.
let tokensOfAllAlgorithms: [Acceptance] = [
    Acceptance(
        "RS256", expiry: 2000,
        header: #"{"alg":"RS256","typ":"JWT","kid":"rsa"}"#,
        signature: """
            Co64IZYqgcoPTqe_4H4OUB_9Y2BUsHh2CdsITWj-gqHC1SntI82xAaUFeHkL6jIjADBIJB30UOuWsWbeQcK5OjDuLBOm\
            FVPm3Qem0rqeb7Vn4Jr1nuWC5thF_oxv8Waak1eIYW7hYe6BeST8dPRxtIuZMQAqzU0voKFh9BHXyNqwrVorOOb3egDh\
            H8bCQqNTUEwDAVxXIEfTfpIa0g8YquI0KKgWPkkfWFFJMfrE6SfOmxA6aEr1S3H3FDLiTXtsnNnfyupFRH83kl_7auqC\
            8jEeuHJl_ACXr1zOtvvIelB_BNB6QhlGrho66KKX6Wz35IYZtRgitupJANpYpVCVrA
            """),
    Acceptance(
        "RS384", expiry: 2000,
        header: #"{"alg":"RS384","typ":"JWT","kid":"rsa"}"#,
        signature: """
            Wc__kjujJ7Kw6JMUVuUXTMdg5Oq9XvnkseewdAfz95_j_ycO_qKZGavn3011_ad7b8CThEbGyv6K3HgJSW504pJElNJc\
            SM_vz54psz7ZPRO9g3MdymrZdZSsCJxmBV-77s1oksG40P6lWtCOxR1N15s52JTLpFGpbV_Dsm3z7tfsOZH-cjlkxFgE\
            KPv7KJd2pAHZvK-0J701RXWtj4V5x0VV013UAtH-34bXJyC7poDutN6GWa5ZNMEuf3SCMKE5Oj2KjHJR6ca1WmMNO0yM\
            yl7IhOp2Ka9t52aRTbPW15xMtcvp4DcwDxXaiJ3alKmLXb1jX2IEpDGXLasOSt0LDQ
            """),
    Acceptance(
        "RS512", expiry: 2000,
        header: #"{"alg":"RS512","typ":"JWT","kid":"rsa"}"#,
        signature: """
            cBAyzdeGRxBpxe1ryrfl_xfO6CTdQBgJftt-RM-D6Nw1iWysixAnW5f_7iAJK5QoO8m7iA5K7ZOUqG6lWzkz9h-ccID1\
            Xf9yTyuiM3U2ReQ7dxMJkR77pw8xSAjc1OsUDll9Hk4vwG6cMc_rSm3dXD5WaLgtwjwoEklJG7CMmdDG8tiZ8eRRE96A\
            J3aC8ZmsoJEgNjE7S0zOa-YuGZuj8kMFX7M8STPrr4IjleE-G8P_Ri4odr4QANV8zghYLhmQPWAftmeRTUySUVR8FLLf\
            Hr_mu8qmzERjhoYl8qzsHubudlttYQsVAL6Qb-hwF6hJsv5CvYDHZk7LDN-amkWymg
            """),
    Acceptance(
        "PS256", expiry: 2000,
        header: #"{"alg":"PS256","typ":"JWT","kid":"rsa"}"#,
        signature: """
            WGk94PRUXwTleXBD6p8qAUvnJQAIy9-86bWMNJk4bV4XPNjMAr6gP5dvbl4APBlIasc8OD0hv6iBcVD9zakCfkAR9LT_\
            2-ykNhG7RhvYqU3xzCNn_YiJMKAB0LD7js5gxVJ4fBjxchjVXmpRfC1aQ2SCc0GxKX9LAeRanaCJ7mKdRO3-HXXl4bgH\
            8KXDo0lq36nYYths_GuOdthX-LsIA_n_gER7d0sY9JFXoX8x5GT0DRaK3EELeUSJa0XW9IuerUp3FTKxkbSHDoApkbKD\
            0O3cBq9lAkd22enhvcGSxNlikgwFhZ0a8JBWqowY7-R-2naQozC-E13kjpdvZ5wngQ
            """),
    Acceptance(
        "PS384", expiry: 2000,
        header: #"{"alg":"PS384","typ":"JWT","kid":"rsa"}"#,
        signature: """
            MN1pyWHg7eLp97SyzGVN1ANSkNqUBW7MpUv6TP0lUQCraeZ8enk9cnYxo3VM3a3chUnN-KYSjpPdUrwisKVthpc7dwYU\
            IeEXBuA_oA3F_NS5o8LSjesC4dzatywtZ5BeXMdXBllq-7odxfYshyoMotY8K8-cZxAt4P28JFQEQv3GvYKTqDewD_JP\
            D8yf66i8kv_7XmPEGUqwrw100QVJD3HPaUenc1If9hJEH7HHOjdkyYS5eVaOqSWaQMasNXhN5b9Fai5L9t6nIHrDxs2E\
            ckeWGpOfpMTgdf4ahrVrwF9cCeUiutyV-6pnAOoqIh-oVlH81QRBqPfmFJQGgCjYOg
            """),
    Acceptance(
        "PS512", expiry: 2000,
        header: #"{"alg":"PS512","typ":"JWT","kid":"rsa"}"#,
        signature: """
            FN5g4UFcTAXSY_d_cirNNhdVNMqoRJ3CqO2XkjS6Wr1W9NW3RphB4x6EOTSEBoFgCCmyfln7rQJ_qkGhMPtJm4589_75\
            --RquKELkgZm_e6CLNkXShn8bp1airxsDzb0KgZ9E1JuJNTR-2N7-rTM1Z_nBCOtAX31VEsaHgPHi3ew3P7jenv6Ql5C\
            LBavrD-31pH0oToKJ-ZxjfnFUkesSA4zsZZNUKU7H1wGtxBT0qb7XzruJ4wJ_rfcUTpVFjiVQLyBX-NMOW7rvHfi6Jjz\
            DH8UikHzXrYx4cMS5mnre8mIMvd9IUpoBG3CdUkbALwQ6N47gHXFFo0GqizWKhO6QA
            """),
    Acceptance(
        "ES256", expiry: 2000,
        header: #"{"alg":"ES256","typ":"JWT","kid":"p256"}"#,
        signature: "5wGvPY2ZVeeXnO5WQTOzBowhs3lvAiNyGgsaE7MHajwBczxG1a9C3U6-qMNBTZ9O_9o_wqXH30Hu8HH14hNxug"),
    Acceptance(
        "ES384", expiry: 2000,
        header: #"{"alg":"ES384","typ":"JWT","kid":"p384"}"#,
        signature: """
            A8fyi162JQL6-cdVt5p48-BBH00_7ZNBWGfEcptgQ1Y_iMoZmAdSCwIdlt5YIS49zmLTo9zbTIxk8lJGJh4WaTxZ32vp\
            56BkXFBzuKmbPBayFnxhghE1eajjhmrDtIV4
            """),
    Acceptance(
        "EdDSA", expiry: 2000,
        header: #"{"alg":"EdDSA","typ":"JWT","kid":"ed"}"#,
        signature: "VO0Qrx-hUYfz8j9I77D5pJE8OudolNweZnB4N4YOsBBU05xUunsBu8Z5kRDeAHCQXXk_hv6tIXBFeOtic0R9Bg"),
]

/// Tokens of other forms that are right, too.
let tokensOfOtherForms: [Acceptance] = [
    Acceptance(
        "no kid", expiry: 2000,
        header: #"{"alg":"EdDSA"}"#,
        signature: "rDd0K1LErQdf38BsxTNRw8C2KdmpBCXnRGn2oLk6S89CpUXy_aT4CTIWGKrqY4MtXfZ_ZdOF4bHzACpigQ4oBA"),
    Acceptance(
        "no typ, audience in an array", expiry: 2000,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"""
            {"iss":"https://a.example","aud":["a","lists"],"sub":"ada","exp":2000,"nbf":900,"iat":900}
            """#,
        signature: "sV2yU0oZ_ZSIqwQCrbdcLHQUWS8OtiT2s2ijStq8mECBIe9XYjZloIbZC1paqtTHiWRQoTMGZFtx_yqid9Q4Bg"),
    Acceptance(
        "typ at+jwt", expiry: 2000,
        header: #"{"alg":"EdDSA","kid":"ed","typ":"at+jwt"}"#,
        signature: "ox659ZrasHzTBbbTHKZcjSEkJboMPRewH7Zy5FTfncYmQvZnqd9fLZ90cJrbha11L0sXaL7VpRM0j-PHHEKHBg"),
    Acceptance(
        "typ application/AT+JWT", expiry: 2000,
        header: #"{"alg":"EdDSA","kid":"ed","typ":"application/AT+JWT"}"#,
        signature: "Mi5YNMbMUaIeHAvrAhJLlLfesk-PxMQuH7jWgASGhQ8_DVGGSEFLdH_7w_jQcuArRbkQunvyL4AcUhNJ2DeHBA"),
    Acceptance(
        "expired, but within the leeway", expiry: 971,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":971,"nbf":900,"iat":900}"#,
        signature: "9PXQHLORl93Hmhee-WabH5G0sLURsANq-JyEP6MEgWF48kVH5_hf0l4o2xagCMe58W84UDrLNwKqCZZt1dxbBg"),
    Acceptance(
        "not yet, but within the leeway", expiry: 2000,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":2000,"nbf":1030,"iat":1030}"#,
        signature: "Myb44_pQ3X3sKpRx_3s5fQJ9J6IBsJf5obCJxpQjC04mAkwxTqFFUFznnuagxPOW0ehor8SnTxn6QAWUZpBOCg"),
    Acceptance(
        "times with fractions", expiry: 1999,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":1999.5,"nbf":900.5,"iat":900}"#,
        signature: "Rilv-obYEsoZk4sQMyXshqOG_gGJsBAoBcf9mxWVW-zmBc42zAjnkxV1PEWAbiOcgN5jmd0z2fMSVRq_ufn0DQ"),
    Acceptance(
        "longest subject",
        subject: """
            üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü\
            üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüa
            """, expiry: 2000,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"""
            {"iss":"https://a.example","aud":"lists","sub":"\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u\#
            00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00\#
            fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\#
            \u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u\#
            00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00\#
            fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\#
            \u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u\#
            00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00\#
            fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fca","exp":2000,"nbf\#
            ":900,"iat":900}
            """#,
        signature: "8jzAZIu2BoF7TyEQkl690Kyb6diqmJzGdaf1TasY44nOg53QF0a0deAn5788NCnjiFoHDuClu18cA6Nmx9arAg"),
    Acceptance(
        "other members of the header", expiry: 2000,
        header: #"""
            {"alg":"EdDSA","kid":"ed","jku":"http://127.0.0.1:1/","x5c":["x"],"jwk":{"kty":"RSA","n":"oQ\#
            RkA8N_DNhINHRfN0hZmZh_b6oA_96tbljOc-q6yvTbR0Au54927XPBdfq_oJc5nOIG_0BtNbYf9vX8YZtyMzEYCC-GOG\#
            SLfCjSJtPNF32vPVpUX-aqYGmZUkpHBY9M4o5fRUyyPsQDnGhP6iZs9nLOs2wgvHYC9cBJJnd4AkUgpDp6xBGZw0-dE9\#
            TCvWbcBKNvVjEHJKQxNmItBqfevj58suv8m3CvYWCNmaoNeymtcpAN21chFSvcQS3auERvgI_dHzaCOSOXpAjdBX7YQi\#
            WDpNtTFO8ZgU9vMvHCqw6N5p1GkUqxPxqfO_JvZ0xHuLP4mHQ7JsLItVz91-5HcQ","e":"AQAB"}}
            """#,
        signature: "nwzO0BpZkC_jCqvmmw1nBMyANiQwBRptj-9QuuzVgD027ABYvEdFs7FvVe7XI-TBeDevALWx5pL4ZquF80z8BQ"),
]
